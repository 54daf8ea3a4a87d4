/* Calls from C that the examples do not make: layouts of structs, memory of the caller, parts,
 * errors. The test defines what the structs are in Rust. */
#include <fsz_codec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do                                                                                             \
    {                                                                                              \
        if (!(condition))                                                                          \
        {                                                                                          \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, fszc_last_error());        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call) CHECK((call) == FSZC_OK)

/* An array of a negative length does not compile. */
#define SAME(name, c) typedef char name##_is_the_same[(c) == (name) ? 1 : -1]

SAME(INFO, sizeof(fszc_info));
SAME(CERTIFICATE, sizeof(fszc_certificate));
SAME(TILE, sizeof(fszc_tile));
SAME(TILE_COUNTS, sizeof(fszc_tile_counts));
SAME(REGION, sizeof(fszc_region));
SAME(TILE_COST, sizeof(fszc_tile_cost));
SAME(RESEARCH, sizeof(fszc_research));
SAME(DEVICE_INFO, sizeof(fszc_device_info));
SAME(RESEARCH_AT, offsetof(fszc_info, research));
SAME(RATES_AT, offsetof(fszc_tile, rates));
SAME(NAME_AT, offsetof(fszc_device_info, name));

enum
{
    ROWS = 60,
    COLUMNS = 70,
    ELEMENTS = ROWS * COLUMNS
};

static void round_trip(fszc_profile profile)
{
    const uint64_t shape[2] = {ROWS, COLUMNS}, start[2] = {1000, 2000};
    /* On the heap and exactly as long as needed, so that a tool sees what is read or written
     * beyond. */
    double *field = malloc(ELEMENTS * sizeof *field), *decoded = malloc(ELEMENTS * sizeof *decoded);
    CHECK(field && decoded);
    for (int i = 0; i < ELEMENTS; ++i)
    {
        field[i] = i % 11 == 0 ? 1e20 : 0.25 * (i / COLUMNS) + 0.001 * (i % COLUMNS);
    }
    fszc_codec *codec;
    fszc_progress *progress;
    fszc_compress_options *options;
    OK(fszc_codec_new(FSZC_CPU, 0, 2, &codec));
    OK(fszc_progress_new(&progress));
    OK(fszc_compress_options_absolute(1e-4, &options));
    OK(fszc_compress_options_set_profile(options, profile, FSZC_LAYOUT_AUTO));
    OK(fszc_compress_options_add_missing(options, 1e20));
    OK(fszc_compress_options_set_name(options, "salinity"));
    OK(fszc_compress_options_set_time_step(options, 3));
    OK(fszc_compress_options_set_start(options, start, 2));
    OK(fszc_compress_options_set_progress(options, progress));

    uint64_t most;
    OK(fszc_max_compressed_len(shape, 2, FSZC_F64, &most));
    unsigned char *bytes = malloc(most);
    size_t len;
    CHECK(bytes);
    OK(fszc_compress_into(codec, field, FSZC_F64, shape, 2, options, bytes, most, &len));
    CHECK(fszc_progress_done(progress) == ELEMENTS * sizeof(double));
    CHECK(fszc_compress_into(codec, field, FSZC_F64, shape, 2, options, bytes, len - 1, &len) ==
          FSZC_INVALID_ARGUMENT);
    CHECK(len == 0);
    OK(fszc_compress_into(codec, field, FSZC_F64, shape, 2, options, bytes, most, &len));
    bytes = realloc(bytes, len);
    CHECK(bytes);

    fszc_stream *stream, *copy;
    fszc_info info;
    OK(fszc_stream_open(bytes, len, &stream));
    OK(fszc_stream_copy(bytes, len, &copy));
    OK(fszc_stream_info(copy, &info, sizeof info));
    CHECK(info.profile == profile && info.ndim == 2 && info.shape[1] == COLUMNS);
    CHECK(info.has_start && info.start[0] == 1000 && info.has_time_step && info.time_step == 3);
    CHECK(info.missing_count == 1 && info.missing[0] == 1e20);
    CHECK(info.bound == FSZC_ABSOLUTE && info.requested_bound == 1e-4);
    CHECK(strcmp(fszc_stream_name(copy), "salinity") == 0);
    fszc_certificate certificate;
    OK(fszc_stream_certificate(stream, &certificate, sizeof certificate));
    CHECK(certificate.missing == (ELEMENTS + 10) / 11 && certificate.max_abs_error <= 1e-4);

    fszc_tile *tiles = malloc(info.tiles * sizeof *tiles);
    CHECK(tiles);
    OK(fszc_stream_tiles(stream, 0, info.tiles, tiles, sizeof *tiles));
    CHECK(tiles[info.tiles - 1].index == info.tiles - 1 && tiles[0].bytes > 0);
    fszc_tile_counts counts;
    OK(fszc_stream_tile_counts(stream, &counts, sizeof counts));
    CHECK(counts.count == info.tiles);

    fszc_decompress_options *decompress_options;
    OK(fszc_decompress_options_new(&decompress_options));
    OK(fszc_decompress_options_set_threads(decompress_options, 2));
    OK(fszc_decompress(codec, stream, decompress_options, FSZC_F64, decoded, ELEMENTS));
    for (int i = 0; i < ELEMENTS; ++i)
    {
        const double error = field[i] - decoded[i];
        CHECK(field[i] == 1e20 ? error == 0 : error <= 1e-4 && error >= -1e-4);
    }
    double *row = malloc(COLUMNS * sizeof *row);
    CHECK(row);
    OK(fszc_decompress_slice(codec, copy, NULL, 0, 31, FSZC_F64, row, COLUMNS));
    CHECK(memcmp(row, decoded + 31 * COLUMNS, COLUMNS * sizeof *row) == 0);
    const uint64_t corner[2] = {10, 20}, count[2] = {1, 30};
    OK(fszc_decompress_box(codec, copy, NULL, corner, count, 2, FSZC_F64, row, 30));
    CHECK(memcmp(row, decoded + 10 * COLUMNS + 20, 30 * sizeof *row) == 0);
    uint64_t elements;
    OK(fszc_stream_tile_elements(stream, 0, 1, &elements));
    double *tile = malloc(elements * sizeof *tile);
    CHECK(tile);
    OK(fszc_decompress_tiles(codec, stream, NULL, 0, 1, FSZC_F64, tile, elements));
    CHECK(tile[0] == decoded[0]);

    /* Damage, in the payload and in the header, and an early end. */
    fszc_stream *damaged;
    OK(fszc_stream_open(bytes, len, &damaged));
    bytes[len - 5] ^= 1;
    CHECK(fszc_decompress(codec, damaged, NULL, FSZC_F64, decoded, ELEMENTS) == FSZC_CORRUPT);
    fszc_stream_free(damaged);
    bytes[20] ^= 1;
    CHECK(fszc_stream_open(bytes, len, &damaged) == FSZC_CORRUPT && damaged == NULL);
    bytes[20] ^= 1;
    CHECK(fszc_stream_open(bytes, len / 2, &damaged) == FSZC_TRUNCATED);
    CHECK(strlen(fszc_last_error()) > 0);

    OK(fszc_progress_cancel(progress));
    CHECK(fszc_compress(codec, field, FSZC_F64, shape, 2, options, &damaged) == FSZC_CANCELLED);

    free(tile);
    free(row);
    fszc_decompress_options_free(decompress_options);
    free(tiles);
    fszc_stream_free(copy);
    fszc_stream_free(stream);
    fszc_progress_free(progress);
    fszc_compress_options_free(options);
    fszc_codec_free(codec);
    free(bytes);
    free(decoded);
    free(field);
}

int main(void)
{
    CHECK(fszc_abi_version() == FSZC_ABI);
    CHECK(strcmp(fszc_status_text(FSZC_CORRUPT), "corrupt stream") == 0);
    CHECK(fszc_codec_new(FSZC_CPU, 0, 0, NULL) == FSZC_INVALID_ARGUMENT);
    CHECK(fszc_compress(NULL, NULL, 0, NULL, 99, NULL, NULL) == FSZC_INVALID_ARGUMENT);
    fszc_codec_free(NULL);
    round_trip(FSZC_PAPER);
    round_trip(FSZC_DENSE);
    printf("FSZ %s\n", fszc_version());
    return 0;
}
