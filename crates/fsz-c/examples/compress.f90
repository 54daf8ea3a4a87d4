! Compresses a field, reads the stream's facts, and decodes a slice of it.
program compress
    use fsz_codec
    implicit none

    integer, parameter :: nx = 100, ny = 80, nz = 12
    real(c_float), target :: field(nx, ny, nz), slice(nx, ny)
    type(c_ptr) :: codec, options, stream
    type(fszc_info) :: info
    type(fszc_certificate) :: certificate
    ! Fortran's first index is the fastest: the slowest axis is z.
    integer(c_int64_t), parameter :: shape_of_field(3) = [nz, ny, nx]
    integer :: x, y, z

    do z = 1, nz
        do y = 1, ny
            do x = 1, nx
                field(x, y, z) = 273.0 + 0.1 * x + 0.02 * y * z
            end do
        end do
    end do

    call check(fszc_codec_new(FSZC_CPU, 0_c_size_t, 0_c_size_t, codec))
    call check(fszc_compress_options_value_range(1e-3_c_double, options))
    call check(fszc_compress_options_set_name(options, 'temperature'//c_null_char))
    call check(fszc_compress(codec, c_loc(field), FSZC_F32, shape_of_field, 3_c_size_t, options, &
                             stream))

    call check(fszc_stream_info(stream, info, c_sizeof(info)))
    call check(fszc_stream_certificate(stream, certificate, c_sizeof(certificate)))
    print '(a, f6.1, a)', fszc_string(fszc_stream_name(stream)), info%compression_ratio, ' : 1'
    if (certificate%max_abs_error > info%absolute_bound) error stop 'the bound is broken'

    ! Plane 5 of z, which is axis 0 and counts from 0.
    call check(fszc_decompress_slice(codec, stream, c_null_ptr, 0_c_size_t, 4_c_int64_t, &
                                     FSZC_F32, c_loc(slice), size(slice, kind=c_int64_t)))
    if (maxval(abs(slice - field(:, :, 5))) > 1.001 * info%absolute_bound) error stop 'wrong plane'

    call fszc_stream_free(stream)
    call fszc_compress_options_free(options)
    call fszc_codec_free(codec)

contains

    subroutine check(status)
        integer(c_int32_t), intent(in) :: status

        if (status == FSZC_OK) return
        print '(a)', fszc_message()
        error stop
    end subroutine
end program
