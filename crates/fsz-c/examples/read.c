/* Reads the file of compress.c: what it says of itself, its tiles, a box and the whole field. */
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

static unsigned char *read_file(const char *name, size_t *len)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
    {
        perror(name);
        exit(1);
    }
    *len = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*len);
    if (!bytes || fread(bytes, 1, *len, file) != *len)
    {
        perror(name);
        exit(1);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    size_t len;
    unsigned char *bytes = read_file(argc > 1 ? argv[1] : "temperature.fsz", &len);

    fszc_codec *codec;
    fszc_stream *stream;
    fszc_info info;
    check(fszc_codec_new(FSZC_CPU, 0, 0, &codec));
    check(fszc_stream_open(bytes, len, &stream)); /* not copied: freed before the bytes */
    check(fszc_stream_info(stream, &info, sizeof info));
    printf("%llu elements, bound %g\n", (unsigned long long)info.elements, info.absolute_bound);

    fszc_tile_counts counts;
    check(fszc_stream_tile_counts(stream, &counts, sizeof counts));
    fszc_tile first;
    check(fszc_stream_tiles(stream, 0, 1, &first, sizeof first));
    printf("%llu tiles; the first takes %llu bytes\n", (unsigned long long)counts.count,
           (unsigned long long)first.bytes);

    /* A box of 2 x 10 x 20 elements from level 3, row 50, column 100 on. */
    const uint64_t start[3] = {3, 50, 100}, count[3] = {2, 10, 20};
    float box[2 * 10 * 20];
    check(fszc_decompress_box(codec, stream, NULL, start, count, 3, FSZC_F32, box, 2 * 10 * 20));
    printf("the box begins with %g\n", box[0]);

    float *field = malloc(info.raw_bytes);
    if (!field)
    {
        return 1;
    }
    check(fszc_decompress(codec, stream, NULL, FSZC_F32, field, info.elements));
    printf("the field begins with %g\n", field[0]);

    free(field);
    fszc_stream_free(stream);
    fszc_codec_free(codec);
    free(bytes);
    return 0;
}
