// The C++ wrapper: every class of the host, moves, views and exceptions.
#include <fsz_codec.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace fsz_codec;

static void require(bool condition, int line)
{
    if (!condition)
    {
        std::fprintf(stderr, "line %d\n", line);
        std::exit(1);
    }
}

#define REQUIRE(condition) require(condition, __LINE__)

template <class Call> static void throws(fszc_status status, Call call, int line)
{
    try
    {
        call();
    }
    catch (const Error &error)
    {
        require(error.status() == status && error.what()[0] != 0, line);
        return;
    }
    require(false, line);
}

#define THROWS(status, call) throws(status, [&] { call; }, __LINE__)

template <class T> static void round_trip(fszc_profile profile)
{
    const Axes shape{20, 30, 40};
    std::vector<T> field(20 * 30 * 40);
    for (std::size_t i = 0; i < field.size(); ++i)
    {
        field[i] = static_cast<T>(std::sin(0.001 * static_cast<double>(i)));
    }
    const Codec codec = Codec::cpu(2);
    Progress progress;
    CompressOptions options = CompressOptions::value_range(1e-3);
    options.profile(profile).name("U").time_step(5).start({0, 30, 0}).threads(2).progress(progress);
    Stream made = codec.compress(field, shape, options);
    const Stream stream = std::move(made);
    REQUIRE(progress.total() == progress.done() && progress.total() == sizeof(T) * field.size());
    REQUIRE(stream.shape() == shape && *stream.name() == "U");
    REQUIRE(stream.info().profile == profile && stream.info().dtype == dtype_of<T>());
    REQUIRE(stream.certificate().max_abs_error <= stream.info().absolute_bound);
    REQUIRE(stream.tiles().size() == stream.tile_counts().count);
    REQUIRE(stream.tile_costs(0).size() <= FSZC_MAX_COSTS);

    std::vector<std::uint8_t> bytes(max_compressed_len<T>(shape));
    bytes.resize(codec.compress_into(View<const T>(field), shape, options, bytes));
    REQUIRE(std::equal(bytes.begin(), bytes.end(), stream.bytes().begin(), stream.bytes().end()));
    const Stream opened = Stream::open(bytes), copy = Stream::copy(bytes);
    CompressOptions alike = CompressOptions::value_range(1e-3);
    alike.like(opened).name("U").time_step(5).start({0, 30, 0});
    const Stream same = codec.compress(field, shape, alike);
    REQUIRE(std::equal(bytes.begin(), bytes.end(), same.bytes().begin(), same.bytes().end()));

    const std::vector<T> decoded = codec.decompress<T>(opened);
    std::vector<T> again(field.size());
    codec.decompress_into(copy, again, DecompressOptions().threads(1));
    REQUIRE(decoded == again);
    const double bound = stream.info().absolute_bound;
    for (std::size_t i = 0; i < field.size(); ++i)
    {
        REQUIRE(std::abs(static_cast<double>(field[i]) - static_cast<double>(decoded[i])) <= bound);
    }
    const std::vector<T> slice = codec.decompress_slice<T>(opened, 0, 7);
    REQUIRE(slice.size() == 1200 && std::equal(slice.begin(), slice.end(), decoded.begin() + 8400));
    std::array<T, 40> row;
    codec.decompress_box_into(opened, {3, 4, 0}, {1, 1, 40}, row);
    REQUIRE(std::equal(row.begin(), row.end(), decoded.begin() + 3 * 1200 + 4 * 40));
    REQUIRE(codec.decompress_box<T>(opened, {3, 4, 5}, {2, 1, 1})[1] == decoded[4 * 1200 + 165]);
    const std::vector<T> tile = codec.decompress_tiles<T>(opened, 0, 1);
    REQUIRE(tile[0] == decoded[0]);

    // Parts, with options, and cancelled.
    Progress parts;
    const DecompressOptions watched = DecompressOptions().threads(1).progress(parts);
    std::vector<T> part(tile.size());
    codec.decompress_tiles_into(opened, 0, 1, part, watched);
    REQUIRE(part == tile && parts.done() > 0 && parts.done() == parts.total());
    codec.decompress_box_into(opened, {3, 4, 0}, {1, 1, 40}, row, watched);
    REQUIRE(std::equal(row.begin(), row.end(), decoded.begin() + 3 * 1200 + 4 * 40));
    part.resize(1200);
    codec.decompress_slice_into(opened, 0, 7, part, watched);
    REQUIRE(part == slice);
    parts.cancel();
    THROWS(FSZC_CANCELLED, codec.decompress_slice_into(opened, 0, 7, part, watched));

    CompressOptions closer = CompressOptions::absolute(0.1);
    closer.box({0, 0, 0}, {2, 30, 40}, 0.001);
    const Stream with_box = codec.compress(field, shape, closer);
    REQUIRE(stream.regions().empty() && with_box.regions().size() == 1);
    REQUIRE(with_box.regions()[0].is_box == 1 && with_box.regions()[0].absolute_bound == 0.001);
    REQUIRE(with_box.regions_of_box({1, 0, 0}, {2, 1, 1}) == std::vector<std::uint8_t>({1, 0}));
    THROWS(FSZC_INVALID_ARGUMENT, with_box.regions_of_box({1, 0}, {2, 1}));

    // Many threads share codec and stream.
    std::vector<std::thread> threads;
    for (std::uint64_t index = 0; index < 4; ++index)
    {
        threads.emplace_back([&, index] {
            const std::vector<T> plane = codec.decompress_slice<T>(stream, 0, index);
            REQUIRE(plane[0] == decoded[1200 * index]);
        });
    }
    for (std::thread &thread : threads)
    {
        thread.join();
    }

    THROWS(FSZC_INVALID_ARGUMENT, codec.compress(field, {20, 30}, options));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_slice<T>(stream, 3, 0));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_slice<T>(stream, 0, 20));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_box<T>(stream, {0, 0, 0}, {21, 1, 1}));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_box<T>(stream, {~0ull, 0, 0}, {2, 1, 1}));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_tiles<T>(stream, 0, 1 << 20));
    THROWS(FSZC_INVALID_ARGUMENT, stream.tiles(0, std::uint64_t(1) << 61));
    THROWS(FSZC_INVALID_ARGUMENT, stream.tiles(1, UINT64_MAX));
    THROWS(FSZC_INVALID_ARGUMENT, codec.decompress_into(stream, row));
    THROWS(FSZC_TRUNCATED, Stream::open(Bytes(bytes.data(), bytes.size() - 1)));
    bytes[bytes.size() - 9] ^= 4;
    THROWS(FSZC_CORRUPT, codec.decompress<T>(opened));
    progress.cancel();
    THROWS(FSZC_CANCELLED, codec.compress(field, shape, options));
}

// Whether Stream::open takes it.
template <class T, class = void> struct Opens : std::false_type
{
};
template <class T>
struct Opens<T, std::void_t<decltype(Stream::open(std::declval<T>()))>> : std::true_type
{
};
static_assert(Opens<std::vector<std::uint8_t> &>::value && Opens<Bytes>::value);
static_assert(Opens<const std::vector<std::uint8_t> &>::value);
static_assert(!Opens<std::vector<std::uint8_t>>::value, "the stream would outlive its bytes");

// What a temporary object's setters return is an object of its own, and of one that was moved from
// every call throws.
static void temporary_and_moved()
{
    const std::vector<float> field(100);
    Codec codec = Codec::cpu(1);
    auto options = CompressOptions::absolute(0.1).profile(FSZC_DENSE).name("U").missing(-1);
    const CompressOptions &kept = CompressOptions::absolute(0.1).box({0}, {9}, 0.2).threads(1);
    Stream stream = codec.compress(field, {100}, options);
    REQUIRE(*stream.name() == "U" && stream.info().missing_count == 1);
    REQUIRE(codec.compress(field, {100}, kept).info().profile == FSZC_PAPER);
    const auto alike = CompressOptions::absolute(0.1).like(stream);
    REQUIRE(codec.compress(field, {100}, alike).info().profile == FSZC_DENSE);
    THROWS(FSZC_INVALID_ARGUMENT, options.name(std::string("a\0b", 3)));
    // Elements are counted without wrapping around: these would be 0 and 100.
    THROWS(FSZC_INVALID_ARGUMENT,
           codec.compress(std::vector<float>(), {1ull << 32, 1ull << 32}, kept));
    THROWS(FSZC_INVALID_ARGUMENT, codec.compress(field, {(1ull << 62) + 25, 4}, kept));
    REQUIRE(
        codec.compress(std::vector<float>(), {1ull << 40, 1ull << 40, 0}, alike).info().elements ==
        0);

    Compression compression({64}, FSZC_F32, CompressOptions::absolute(0.1));
    StreamKind kind({64}, FSZC_F32, CompressOptions::absolute(0.1));
    Progress progress;
    DecompressOptions alone;
    const DecompressOptions alone_now = std::move(alone.threads(1));
    const Codec codec_now = std::move(codec);
    const Stream stream_now = std::move(stream);
    const auto options_now = std::move(options);
    const Compression compression_now = std::move(compression);
    const StreamKind kind_now = std::move(kind);
    const Progress progress_now = std::move(progress);
    REQUIRE(codec_now.decompress<float>(stream_now) == field && kind_now.elements() == 64);
    std::vector<float> out(100);
    codec_now.decompress_into(stream_now, out, alone_now);
    REQUIRE(out == field);
    THROWS(FSZC_INVALID_ARGUMENT, codec_now.decompress_into(stream_now, out, alone));
    REQUIRE(progress_now.done() == 0 && compression_now.max_len() > 0);
    THROWS(FSZC_INVALID_ARGUMENT, codec.description());
    THROWS(FSZC_INVALID_ARGUMENT, codec.backend());
    THROWS(FSZC_INVALID_ARGUMENT, codec.compress(field, {100}, kept));
    THROWS(FSZC_INVALID_ARGUMENT, codec_now.compress(field, {100}, options));
    THROWS(FSZC_INVALID_ARGUMENT, options.threads(1));
    THROWS(FSZC_INVALID_ARGUMENT, stream.bytes());
    THROWS(FSZC_INVALID_ARGUMENT, stream.name());
    THROWS(FSZC_INVALID_ARGUMENT, stream.info());
    THROWS(FSZC_INVALID_ARGUMENT, compression.max_len());
    THROWS(FSZC_INVALID_ARGUMENT, compression.scratch_len());
    THROWS(FSZC_INVALID_ARGUMENT, kind.elements());
    THROWS(FSZC_INVALID_ARGUMENT, progress.total());
    THROWS(FSZC_INVALID_ARGUMENT, progress.done());
}

int main()
{
    temporary_and_moved();
    for (fszc_profile profile : {FSZC_PAPER, FSZC_DENSE})
    {
        round_trip<float>(profile);
        round_trip<double>(profile);
    }
    THROWS(FSZC_INVALID_ARGUMENT, Codec(77));
    THROWS(FSZC_INVALID_ARGUMENT, CompressOptions::absolute(1).name("\xff"));
    const fszc_research research{32, 8, FSZC_CENTERING_MEAN, 1, 0};
    const Stream studied =
        Codec(FSZC_CPU_PORTABLE)
            .compress(std::vector<float>(100), {100},
                      CompressOptions::value_range_of(0.1, 0, 1).research(research));
    REQUIRE(studied.info().research.order2 == 0 && studied.info().bound == FSZC_VALUE_RANGE_OF);
    const Compression compression({64}, FSZC_F32, CompressOptions::absolute(0.1));
    REQUIRE(compression.max_len() > 0 &&
            StreamKind(studied.shape(), FSZC_F32, CompressOptions::absolute(0.1)).elements() ==
                100);
    try
    {
        DeviceMemory memory(devices().at(0).ordinal, 256);
        REQUIRE(memory.address() != nullptr);
        const std::vector<double> written{1, 2, 3};
        std::array<double, 3> read;
        memory.write(16, written);
        memory.read(16, read);
        memory.read(16, View<double>(read.data(), 2));
        memory.write<double>(40, written);
        REQUIRE(std::equal(written.begin(), written.end(), read.begin()));
    }
    catch (const Error &error)
    {
        REQUIRE(error.status() == FSZC_DEVICE);
    }
    std::printf("%s\n", Codec::cpu().description().c_str());
    return 0;
}
