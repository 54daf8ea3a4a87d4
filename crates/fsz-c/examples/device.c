/* Compresses a field in device memory and decodes a slice of it there, on a CUDA stream. */
#include <fsz_codec.h>

#include <stdio.h>
#include <stdlib.h>

static void check(fszc_status status)
{
    if (status != FSZC_OK)
    {
        fprintf(stderr, "%s\n", fszc_last_error());
        exit(1);
    }
}

/* Device memory of the library. That of cudaMalloc is as good. */
static void *allocate(uint64_t len, fszc_device_memory **memory)
{
    check(fszc_device_memory_new(0, (size_t)len, memory));
    return fszc_device_memory_address(*memory);
}

int main(void)
{
    fszc_device_codec *codec;
    if (fszc_device_codec_new(0, &codec) != FSZC_OK)
    {
        printf("no device: %s\n", fszc_last_error());
        return 0;
    }
    const uint64_t shape[3] = {30, 192, 288};
    fszc_cuda_stream cuda_stream = NULL; /* or a cudaStream_t */
    fszc_compress_options *options;
    fszc_compression *compression;
    check(fszc_compress_options_absolute(1e-3, &options));
    check(fszc_compression_new(shape, 3, FSZC_F32, options, &compression));
    const uint64_t most = fszc_compression_max_len(compression);

    fszc_device_memory *memory[4];
    void *field = allocate(30 * 192 * 288 * sizeof(float), &memory[0]); /* all 0 here */
    void *stream = allocate(most, &memory[1]);
    void *scratch = allocate(fszc_compression_scratch_len(compression), &memory[2]);

    /* Enqueued; compressed_len waits for it. */
    uint64_t len;
    check(fszc_device_compress(codec, compression, field, stream, most, scratch, cuda_stream));
    check(fszc_device_compressed_len(codec, scratch, most, cuda_stream, &len));
    printf("%llu bytes\n", (unsigned long long)len);

    fszc_stream_kind *kind;
    check(fszc_stream_kind_new(shape, 3, FSZC_F32, options, &kind));
    void *work = allocate(fszc_device_decompress_scratch_len(), &memory[3]);
    check(fszc_device_decompress_slice(codec, kind, stream, len, 0, 7, field, work, cuda_stream));
    check(fszc_device_outcome(codec, work, cuda_stream));

    for (int i = 0; i < 4; ++i)
    {
        fszc_device_memory_free(memory[i]);
    }
    fszc_stream_kind_free(kind);
    fszc_compression_free(compression);
    fszc_compress_options_free(options);
    fszc_device_codec_free(codec);
    return 0;
}
