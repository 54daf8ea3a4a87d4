/* Compresses a field, reads the stream's facts, and decodes a slice of it. */
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

int main(void)
{
    /* A field of 15 levels of 192 x 288 in C order: the slowest axis first. */
    const uint64_t shape[3] = {15, 192, 288};
    const size_t elements = 15 * 192 * 288, plane = 192 * 288;
    float *field = malloc(elements * sizeof *field), *slice = malloc(plane * sizeof *slice);
    if (!field || !slice)
    {
        return 1;
    }
    for (size_t i = 0; i < elements; ++i)
    {
        field[i] = 250.0f + 0.01f * (float)(i % 288) + 0.1f * (float)(i / 288 % 192);
    }

    fszc_codec *codec;
    fszc_compress_options *options;
    fszc_stream *stream;
    check(fszc_codec_new(FSZC_AUTO, 0, 0, &codec)); /* the CPU, or CUDA where it is faster */
    check(fszc_compress_options_value_range(1e-3, &options)); /* 1e-3 of max - min */
    check(fszc_compress_options_set_name(options, "temperature"));
    check(fszc_compress(codec, field, FSZC_F32, shape, 3, options, &stream));

    fszc_info info;
    fszc_certificate certificate;
    check(fszc_stream_info(stream, &info, sizeof info));
    check(fszc_stream_certificate(stream, &certificate, sizeof certificate));
    printf("%s: %.1f : 1, largest error %g, bound %g\n", fszc_stream_name(stream),
           info.compression_ratio, certificate.max_abs_error, info.absolute_bound);

    size_t len;
    const uint8_t *bytes = fszc_stream_bytes(stream, &len);
    FILE *file = fopen("temperature.fsz", "wb");
    if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
    {
        perror("temperature.fsz");
        return 1;
    }

    check(fszc_decompress_slice(codec, stream, NULL, 0, 7, FSZC_F32, slice, plane)); /* level 7 */
    printf("level 7 begins with %g, which was %g\n", slice[0], field[7 * plane]);

    fszc_stream_free(stream);
    fszc_compress_options_free(options);
    fszc_codec_free(codec);
    free(slice);
    free(field);
    return 0;
}
