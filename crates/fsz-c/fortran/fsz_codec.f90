! FSZ in Fortran: the interface of fsz_codec.h, name by name, and two functions for strings.
!
! Compile this file with your program and link with -lfsz_codec. What a call does is described in
! fsz_codec.h. Handles are type(c_ptr); unsigned numbers are signed ones of the same size.
!
! Shapes have the slowest axis first, as in C, and Fortran's first index is the fastest: the shape
! of field(nx, ny, nz) is [nz, ny, nx].
module fsz_codec
    use, intrinsic :: iso_c_binding
    implicit none
    private :: c_strlen

    ! Statuses.
    integer(c_int32_t), parameter :: FSZC_OK = 0
    integer(c_int32_t), parameter :: FSZC_INVALID_ARGUMENT = 1
    integer(c_int32_t), parameter :: FSZC_CORRUPT = 2
    integer(c_int32_t), parameter :: FSZC_TRUNCATED = 3
    integer(c_int32_t), parameter :: FSZC_UNSUPPORTED = 4
    integer(c_int32_t), parameter :: FSZC_DEVICE = 5
    integer(c_int32_t), parameter :: FSZC_IO = 6
    integer(c_int32_t), parameter :: FSZC_CANCELLED = 7
    integer(c_int32_t), parameter :: FSZC_OUT_OF_MEMORY = 8
    integer(c_int32_t), parameter :: FSZC_INTERNAL = 9

    ! Numbers and sizes.
    integer(c_size_t), parameter :: FSZC_DEVICE_NAME = 256
    integer(c_size_t), parameter :: FSZC_MAX_DIMS = 8
    integer(c_size_t), parameter :: FSZC_MAX_MISSING = 4
    integer(c_size_t), parameter :: FSZC_MAX_REGIONS = 16
    integer(c_size_t), parameter :: FSZC_MAX_NAME = 1024
    integer(c_size_t), parameter :: FSZC_MAX_BLOCKS = 16
    integer(c_size_t), parameter :: FSZC_MAX_COSTS = 8
    integer(c_int32_t), parameter :: FSZC_VERSION_MAJOR = 0
    integer(c_int32_t), parameter :: FSZC_VERSION_MINOR = 2
    integer(c_int32_t), parameter :: FSZC_VERSION_PATCH = 0
    integer(c_int32_t), parameter :: FSZC_ABI = 1
    integer(c_int32_t), parameter :: FSZC_AUTO = 0
    integer(c_int32_t), parameter :: FSZC_CPU = 1
    integer(c_int32_t), parameter :: FSZC_CUDA = 2
    integer(c_int32_t), parameter :: FSZC_CPU_PORTABLE = 3
    integer(c_int32_t), parameter :: FSZC_PAPER = 0
    integer(c_int32_t), parameter :: FSZC_DENSE = 1
    integer(c_int32_t), parameter :: FSZC_LAYOUT_AUTO = 0
    integer(c_int32_t), parameter :: FSZC_LAYOUT_LINE = 1
    integer(c_int32_t), parameter :: FSZC_LAYOUT_PLANE = 2
    integer(c_int32_t), parameter :: FSZC_LAYOUT_BRICK = 3
    integer(c_int32_t), parameter :: FSZC_CENTERING_FIRST_CODE = 0
    integer(c_int32_t), parameter :: FSZC_CENTERING_MEAN = 1
    integer(c_int32_t), parameter :: FSZC_CENTERING_OFF = 2
    integer(c_int32_t), parameter :: FSZC_HOST_MEMORY = 0
    integer(c_int32_t), parameter :: FSZC_PINNED_MEMORY = 1
    integer(c_int32_t), parameter :: FSZC_MANAGED_MEMORY = 2
    integer(c_int32_t), parameter :: FSZC_DEVICE_MEMORY = 3
    integer(c_int32_t), parameter :: FSZC_F32 = 1
    integer(c_int32_t), parameter :: FSZC_F64 = 2
    integer(c_int32_t), parameter :: FSZC_ABSOLUTE = 0
    integer(c_int32_t), parameter :: FSZC_VALUE_RANGE = 1
    integer(c_int32_t), parameter :: FSZC_VALUE_RANGE_OF = 2
    integer(c_int32_t), parameter :: FSZC_RELATIVE = 3
    integer(c_int32_t), parameter :: FSZC_PSNR = 4
    integer(c_int32_t), parameter :: FSZC_RATIO = 5
    integer(c_int32_t), parameter :: FSZC_MAX_BYTES = 6
    integer(c_int32_t), parameter :: FSZC_LZ1 = 0
    integer(c_int32_t), parameter :: FSZC_LZ2 = 1
    integer(c_int32_t), parameter :: FSZC_LZ1_CENTERED = 2
    integer(c_int32_t), parameter :: FSZC_LZ2_CENTERED = 3
    integer(c_int32_t), parameter :: FSZC_INTERPOLATED = 4
    integer(c_int32_t), parameter :: FSZC_CONSTANT = 5
    integer(c_int32_t), parameter :: FSZC_EXCEPTIONS = 6
    integer(c_int32_t), parameter :: FSZC_VERBATIM = 7
    integer(c_int32_t), parameter :: FSZC_NO_PREDICTOR = 255
    integer(c_int32_t), parameter :: FSZC_OTHER_KIND = 254
    integer(c_int32_t), parameter :: FSZC_CODING_LZ1 = 0
    integer(c_int32_t), parameter :: FSZC_CODING_LZ2 = 1
    integer(c_int32_t), parameter :: FSZC_CODING_LZ1_CENTERED = 2
    integer(c_int32_t), parameter :: FSZC_CODING_LZ2_CENTERED = 3
    integer(c_int32_t), parameter :: FSZC_CODING_LINEAR = 4
    integer(c_int32_t), parameter :: FSZC_CODING_CUBIC = 5
    integer(c_int32_t), parameter :: FSZC_CODING_SMOOTH = 6
    integer(c_int32_t), parameter :: FSZC_CODING_EXACT = 7
    integer(c_int32_t), parameter :: FSZC_CODING_VERBATIM = 8
    integer(c_int32_t), parameter :: FSZC_CODING_BLENDED = 9
    integer(c_int32_t), parameter :: FSZC_OTHER_CODING = 254

    type, bind(c) :: fszc_research
        integer(c_int32_t) :: block_len
        integer(c_int32_t) :: blocks_per_tile
        integer(c_int32_t) :: centering
        integer(c_int32_t) :: cross_block
        integer(c_int32_t) :: order2
    end type

    type, bind(c) :: fszc_device_info
        integer(c_int64_t) :: memory
        integer(c_int32_t) :: ordinal
        integer(c_int32_t) :: capability_major
        integer(c_int32_t) :: capability_minor
        integer(c_int32_t) :: multiprocessors
        integer(c_int32_t) :: has_kernels
        integer(c_int32_t) :: reserved
        character(kind=c_char) :: name(FSZC_DEVICE_NAME)
    end type

    type, bind(c) :: fszc_info
        integer(c_int32_t) :: format_version
        integer(c_int32_t) :: dtype
        integer(c_int32_t) :: profile
        integer(c_int32_t) :: layout
        integer(c_int32_t) :: reference
        integer(c_int32_t) :: ndim
        integer(c_int64_t) :: shape(FSZC_MAX_DIMS)
        integer(c_int64_t) :: elements
        integer(c_int64_t) :: raw_bytes
        integer(c_int64_t) :: compressed_bytes
        real(c_double) :: compression_ratio
        integer(c_int64_t) :: tiles
        integer(c_int64_t) :: chunks
        integer(c_int32_t) :: bound
        integer(c_int32_t) :: has_start
        real(c_double) :: requested_bound
        real(c_double) :: absolute_bound
        real(c_double) :: quantization_step
        integer(c_int64_t) :: start(FSZC_MAX_DIMS)
        integer(c_int64_t) :: time_step
        integer(c_int32_t) :: has_time_step
        integer(c_int32_t) :: missing_count
        real(c_double) :: missing(FSZC_MAX_MISSING)
        integer(c_int64_t) :: missing_bits(FSZC_MAX_MISSING)
        type(fszc_research) :: research
        integer(c_int32_t) :: regions
        real(c_double) :: mean_squared_error
        real(c_double) :: floor
        real(c_double) :: usual_fill_value
    end type

    type, bind(c) :: fszc_certificate
        real(c_double) :: max_abs_error
        real(c_double) :: min
        real(c_double) :: max
        integer(c_int64_t) :: nan
        integer(c_int64_t) :: inf
        integer(c_int64_t) :: missing
        integer(c_int64_t) :: escaped
        real(c_double) :: max_relative_error
    end type

    type, bind(c) :: fszc_region
        integer(c_int32_t) :: is_box
        integer(c_int32_t) :: bound
        integer(c_int64_t) :: start(FSZC_MAX_DIMS)
        integer(c_int64_t) :: count(FSZC_MAX_DIMS)
        integer(c_int64_t) :: elements
        integer(c_int64_t) :: compressed_bytes
        real(c_double) :: requested_bound
        real(c_double) :: absolute_bound
        real(c_double) :: floor
        real(c_double) :: max_abs_error
        real(c_double) :: max_relative_error
    end type

    type, bind(c) :: fszc_tile
        integer(c_int64_t) :: index
        integer(c_int64_t) :: bytes
        integer(c_int32_t) :: escapes
        integer(c_int32_t) :: kind
        integer(c_int32_t) :: predictor
        integer(c_int32_t) :: blocks
        integer(c_int8_t) :: rates(FSZC_MAX_BLOCKS)
    end type

    type, bind(c) :: fszc_tile_counts
        integer(c_int64_t) :: count
        integer(c_int64_t) :: lz1
        integer(c_int64_t) :: lz2
        integer(c_int64_t) :: lz1_centered
        integer(c_int64_t) :: lz2_centered
        integer(c_int64_t) :: interpolated
        integer(c_int64_t) :: constant
        integer(c_int64_t) :: exceptions
        integer(c_int64_t) :: verbatim
    end type

    type, bind(c) :: fszc_tile_cost
        integer(c_int32_t) :: coding
        integer(c_int32_t) :: chosen
        integer(c_int64_t) :: bytes
    end type

    interface
        function fszc_codec_new(backend, device, threads, codec) bind(c) result(answer)
            import
            integer(c_int32_t), value :: backend
            integer(c_size_t), value :: device
            integer(c_size_t), value :: threads
            type(c_ptr), intent(out) :: codec
            integer(c_int32_t) :: answer
        end function

        function fszc_codec_backend(codec) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            integer(c_int32_t) :: answer
        end function

        function fszc_codec_description(codec) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr) :: answer
        end function

        subroutine fszc_codec_free(codec) bind(c)
            import
            type(c_ptr), value :: codec
        end subroutine

        function fszc_max_compressed_len(shape, ndim, dtype, len) bind(c) result(answer)
            import
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            integer(c_int32_t), value :: dtype
            integer(c_int64_t), intent(out) :: len
            integer(c_int32_t) :: answer
        end function

        function fszc_compress(codec, data, dtype, shape, ndim, options, &
                stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: data
            integer(c_int32_t), value :: dtype
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            type(c_ptr), value :: options
            type(c_ptr), intent(out) :: stream
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_into(codec, data, dtype, shape, ndim, options, out, capacity, &
                len) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: data
            integer(c_int32_t), value :: dtype
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            type(c_ptr), value :: options
            type(c_ptr), value :: out
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(out) :: len
            integer(c_int32_t) :: answer
        end function

        function fszc_find_bound(codec, data, dtype, shape, ndim, options, &
                bound) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: data
            integer(c_int32_t), value :: dtype
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            type(c_ptr), value :: options
            real(c_double), intent(out) :: bound
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_absolute(bound, options) bind(c) result(answer)
            import
            real(c_double), value :: bound
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_value_range(ratio, options) bind(c) result(answer)
            import
            real(c_double), value :: ratio
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_value_range_of(ratio, min, max, &
                options) bind(c) result(answer)
            import
            real(c_double), value :: ratio
            real(c_double), value :: min
            real(c_double), value :: max
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_relative(eps, floor, options) bind(c) result(answer)
            import
            real(c_double), value :: eps
            real(c_double), value :: floor
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_psnr(decibels, options) bind(c) result(answer)
            import
            real(c_double), value :: decibels
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_ratio(ratio, options) bind(c) result(answer)
            import
            real(c_double), value :: ratio
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_max_bytes(bytes, options) bind(c) result(answer)
            import
            integer(c_int64_t), value :: bytes
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_profile(options, profile, &
                layout) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_int32_t), value :: profile
            integer(c_int32_t), value :: layout
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_like(options, stream) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            type(c_ptr), value :: stream
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_research(options, research) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            type(fszc_research), intent(in) :: research
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_add_missing(options, value) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            real(c_double), value :: value
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_add_box(options, start, count, ndim, bound) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_int64_t), intent(in) :: start(*), count(*)
            integer(c_size_t), value :: ndim
            real(c_double), value :: bound
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_add_mask(options, mask, elements, bound) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_int8_t), intent(in) :: mask(*)
            integer(c_size_t), value :: elements
            real(c_double), value :: bound
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_name(options, name) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_time_step(options, time_step) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_int64_t), value :: time_step
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_start(options, start, ndim) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_int64_t), intent(in) :: start(*)
            integer(c_size_t), value :: ndim
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_threads(options, threads) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_size_t), value :: threads
            integer(c_int32_t) :: answer
        end function

        function fszc_compress_options_set_progress(options, progress) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            type(c_ptr), value :: progress
            integer(c_int32_t) :: answer
        end function

        subroutine fszc_compress_options_free(options) bind(c)
            import
            type(c_ptr), value :: options
        end subroutine

        function fszc_device_codec_new(device, codec) bind(c) result(answer)
            import
            integer(c_size_t), value :: device
            type(c_ptr), intent(out) :: codec
            integer(c_int32_t) :: answer
        end function

        subroutine fszc_device_codec_free(codec) bind(c)
            import
            type(c_ptr), value :: codec
        end subroutine

        function fszc_device_compress(codec, compression, field, stream, capacity, scratch, &
                cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: compression
            type(c_ptr), value :: field
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: capacity
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_device_compressed_len(codec, scratch, capacity, cuda_stream, &
                len) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: scratch
            integer(c_int64_t), value :: capacity
            type(c_ptr), value :: cuda_stream
            integer(c_int64_t), intent(out) :: len
            integer(c_int32_t) :: answer
        end function

        function fszc_device_decompress_scratch_len() bind(c) result(answer)
            import
            integer(c_size_t) :: answer
        end function

        function fszc_device_decompress(codec, kind, stream, capacity, out, scratch, &
                cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: kind
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: capacity
            type(c_ptr), value :: out
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_device_decompress_tiles(codec, kind, stream, capacity, first, end, out, &
                scratch, cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: kind
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: end
            type(c_ptr), value :: out
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_device_decompress_box(codec, kind, stream, capacity, start, count, ndim, &
                out, scratch, cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: kind
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(in) :: start(*)
            integer(c_int64_t), intent(in) :: count(*)
            integer(c_size_t), value :: ndim
            type(c_ptr), value :: out
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_device_decompress_slice(codec, kind, stream, capacity, axis, index, out, &
                scratch, cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: kind
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: capacity
            integer(c_size_t), value :: axis
            integer(c_int64_t), value :: index
            type(c_ptr), value :: out
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_device_outcome(codec, scratch, cuda_stream) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: scratch
            type(c_ptr), value :: cuda_stream
            integer(c_int32_t) :: answer
        end function

        function fszc_compression_new(shape, ndim, dtype, options, &
                compression) bind(c) result(answer)
            import
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: options
            type(c_ptr), intent(out) :: compression
            integer(c_int32_t) :: answer
        end function

        function fszc_compression_max_len(compression) bind(c) result(answer)
            import
            type(c_ptr), value :: compression
            integer(c_int64_t) :: answer
        end function

        function fszc_compression_scratch_len(compression) bind(c) result(answer)
            import
            type(c_ptr), value :: compression
            integer(c_int64_t) :: answer
        end function

        subroutine fszc_compression_free(compression) bind(c)
            import
            type(c_ptr), value :: compression
        end subroutine

        function fszc_device_count(count) bind(c) result(answer)
            import
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: answer
        end function

        function fszc_device_describe(device, info, size) bind(c) result(answer)
            import
            integer(c_size_t), value :: device
            type(fszc_device_info), intent(out) :: info
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_device_compress_to_host(codec, compression, field, out, capacity, &
                len) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: compression
            type(c_ptr), value :: field
            type(c_ptr), value :: out
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(out) :: len
            integer(c_int32_t) :: answer
        end function

        function fszc_device_decompress_from_host(codec, stream, out) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: stream
            type(c_ptr), value :: out
            integer(c_int32_t) :: answer
        end function

        function fszc_memory_at(address, kind, device) bind(c) result(answer)
            import
            type(c_ptr), value :: address
            integer(c_int32_t), intent(out) :: kind
            integer(c_size_t), intent(out) :: device
            integer(c_int32_t) :: answer
        end function

        function fszc_device_memory_new(device, len, memory) bind(c) result(answer)
            import
            integer(c_size_t), value :: device
            integer(c_size_t), value :: len
            type(c_ptr), intent(out) :: memory
            integer(c_int32_t) :: answer
        end function

        function fszc_device_memory_address(memory) bind(c) result(answer)
            import
            type(c_ptr), value :: memory
            type(c_ptr) :: answer
        end function

        function fszc_device_memory_write(memory, at, from, len) bind(c) result(answer)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: at
            type(c_ptr), value :: from
            integer(c_size_t), value :: len
            integer(c_int32_t) :: answer
        end function

        function fszc_device_memory_read(memory, at, to, len) bind(c) result(answer)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: at
            type(c_ptr), value :: to
            integer(c_size_t), value :: len
            integer(c_int32_t) :: answer
        end function

        subroutine fszc_device_memory_free(memory) bind(c)
            import
            type(c_ptr), value :: memory
        end subroutine

        function fszc_stream_kind_new(shape, ndim, dtype, options, kind) bind(c) result(answer)
            import
            integer(c_int64_t), intent(in) :: shape(*)
            integer(c_size_t), value :: ndim
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: options
            type(c_ptr), intent(out) :: kind
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_kind_of(stream, kind) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            type(c_ptr), intent(out) :: kind
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_kind_elements(kind) bind(c) result(answer)
            import
            type(c_ptr), value :: kind
            integer(c_int64_t) :: answer
        end function

        subroutine fszc_stream_kind_free(kind) bind(c)
            import
            type(c_ptr), value :: kind
        end subroutine

        function fszc_decompress_options_new(options) bind(c) result(answer)
            import
            type(c_ptr), intent(out) :: options
            integer(c_int32_t) :: answer
        end function

        function fszc_decompress_options_set_threads(options, threads) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            integer(c_size_t), value :: threads
            integer(c_int32_t) :: answer
        end function

        function fszc_decompress_options_set_progress(options, progress) bind(c) result(answer)
            import
            type(c_ptr), value :: options
            type(c_ptr), value :: progress
            integer(c_int32_t) :: answer
        end function

        subroutine fszc_decompress_options_free(options) bind(c)
            import
            type(c_ptr), value :: options
        end subroutine

        function fszc_decompress(codec, stream, options, dtype, out, &
                elements) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: stream
            type(c_ptr), value :: options
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: out
            integer(c_int64_t), value :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_decompress_tiles(codec, stream, options, first, end, dtype, out, &
                elements) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: stream
            type(c_ptr), value :: options
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: end
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: out
            integer(c_int64_t), value :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_decompress_box(codec, stream, options, start, count, ndim, dtype, out, &
                elements) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: stream
            type(c_ptr), value :: options
            integer(c_int64_t), intent(in) :: start(*)
            integer(c_int64_t), intent(in) :: count(*)
            integer(c_size_t), value :: ndim
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: out
            integer(c_int64_t), value :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_decompress_slice(codec, stream, options, axis, index, dtype, out, &
                elements) bind(c) result(answer)
            import
            type(c_ptr), value :: codec
            type(c_ptr), value :: stream
            type(c_ptr), value :: options
            integer(c_size_t), value :: axis
            integer(c_int64_t), value :: index
            integer(c_int32_t), value :: dtype
            type(c_ptr), value :: out
            integer(c_int64_t), value :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_info(stream, info, size) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            type(fszc_info), intent(out) :: info
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_certificate(stream, certificate, size) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            type(fszc_certificate), intent(out) :: certificate
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_progress_new(progress) bind(c) result(answer)
            import
            type(c_ptr), intent(out) :: progress
            integer(c_int32_t) :: answer
        end function

        function fszc_progress_total(progress) bind(c) result(answer)
            import
            type(c_ptr), value :: progress
            integer(c_int64_t) :: answer
        end function

        function fszc_progress_done(progress) bind(c) result(answer)
            import
            type(c_ptr), value :: progress
            integer(c_int64_t) :: answer
        end function

        function fszc_progress_cancel(progress) bind(c) result(answer)
            import
            type(c_ptr), value :: progress
            integer(c_int32_t) :: answer
        end function

        subroutine fszc_progress_free(progress) bind(c)
            import
            type(c_ptr), value :: progress
        end subroutine

        function fszc_status_text(status) bind(c) result(answer)
            import
            integer(c_int32_t), value :: status
            type(c_ptr) :: answer
        end function

        function fszc_last_error() bind(c) result(answer)
            import
            type(c_ptr) :: answer
        end function

        function fszc_stream_open(bytes, len, stream) bind(c) result(answer)
            import
            type(c_ptr), value :: bytes
            integer(c_size_t), value :: len
            type(c_ptr), intent(out) :: stream
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_copy(bytes, len, stream) bind(c) result(answer)
            import
            type(c_ptr), value :: bytes
            integer(c_size_t), value :: len
            type(c_ptr), intent(out) :: stream
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_bytes(stream, len) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_size_t), intent(out) :: len
            type(c_ptr) :: answer
        end function

        function fszc_stream_name(stream) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            type(c_ptr) :: answer
        end function

        subroutine fszc_stream_free(stream) bind(c)
            import
            type(c_ptr), value :: stream
        end subroutine

        function fszc_stream_region(stream, number, region, size) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_size_t), value :: number
            type(fszc_region), intent(out) :: region
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_regions_of_box(stream, start, count, ndim, regions, &
                elements) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_int64_t), intent(in) :: start(*)
            integer(c_int64_t), intent(in) :: count(*)
            integer(c_size_t), value :: ndim
            integer(c_int8_t), intent(out) :: regions(*)
            integer(c_int64_t), value :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_tiles(stream, first, count, tiles, size) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: count
            type(fszc_tile), intent(out) :: tiles(*)
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_tile_counts(stream, counts, size) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            type(fszc_tile_counts), intent(out) :: counts
            integer(c_size_t), value :: size
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_tile_costs(stream, tile, costs, count) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: tile
            type(fszc_tile_cost), intent(out) :: costs(*)
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: answer
        end function

        function fszc_stream_tile_elements(stream, first, end, elements) bind(c) result(answer)
            import
            type(c_ptr), value :: stream
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: end
            integer(c_int64_t), intent(out) :: elements
            integer(c_int32_t) :: answer
        end function

        function fszc_version() bind(c) result(answer)
            import
            type(c_ptr) :: answer
        end function

        function fszc_abi_version() bind(c) result(answer)
            import
            integer(c_int32_t) :: answer
        end function

        function c_strlen(text) bind(c, name='strlen') result(answer)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: answer
        end function
    end interface

contains

    ! A string of the library; empty for a null pointer.
    function fszc_string(text) result(answer)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: answer
        character(kind=c_char), pointer :: characters(:)
        integer :: i

        if (.not. c_associated(text)) then
            answer = ''
            return
        end if
        call c_f_pointer(text, characters, [c_strlen(text)])
        allocate (character(size(characters)) :: answer)
        do i = 1, size(characters)
            answer(i:i) = characters(i)
        end do
    end function

    ! What the last failed call of this thread complained about.
    function fszc_message() result(answer)
        character(:), allocatable :: answer

        answer = fszc_string(fszc_last_error())
    end function
end module
