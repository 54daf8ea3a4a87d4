// FSZ in C++17: a wrapper of fsz_codec.h in one header, with objects that free themselves, views of
// memory and exceptions.
//
//     #include <fsz_codec.hpp>
//
//     fsz_codec::Codec codec;
//     auto options = fsz_codec::CompressOptions::value_range(1e-3);
//     fsz_codec::Stream stream = codec.compress(field, {30, 192, 288}, options);
//     std::vector<float> slice = codec.decompress_slice<float>(stream, 0, 17);
//
// Fields are anything with data() and size() whose elements are float or double: std::vector,
// std::array, std::span, fsz_codec::View. What a call does, and its errors, are described at the
// function of the same name in fsz_codec.h. Every failure throws fsz_codec::Error.
#ifndef FSZ_CODEC_HPP
#define FSZ_CODEC_HPP

// Compilers of Microsoft tell the standard by a name of their own.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "fsz_codec.hpp needs C++17, such as -std=c++17; fsz_codec.h needs C99 or C++11"
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fsz_codec.h"

namespace fsz_codec
{

// A failed call: its status, and the library's message as what().
class Error : public std::runtime_error
{
public:
    Error(fszc_status status, const std::string &message)
        : std::runtime_error(message), status_(status)
    {
    }

    fszc_status status() const noexcept { return status_; }

private:
    fszc_status status_;
};

// Throws when a call has failed.
inline void check(fszc_status status)
{
    if (status != FSZC_OK)
    {
        throw Error(status, fszc_last_error());
    }
}

// Elements in memory that somebody else owns: C++20's std::span, as far as it is needed here.
template <class T> class View
{
public:
    using value_type = std::remove_cv_t<T>;

    View() = default;
    View(T *data, std::size_t size) : data_(data), size_(size) {}

    template <class Container, class = std::enable_if_t<std::is_convertible_v<
                                   decltype(std::declval<Container &>().data()), T *>>>
    View(Container &&container) : data_(container.data()), size_(container.size())
    {
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t at) const { return data_[at]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// Bytes of a stream.
using Bytes = View<const std::uint8_t>;

// An entry per axis, slowest axis first.
using Axes = std::vector<std::uint64_t>;

// The element type of float and double.
template <class T> constexpr fszc_dtype dtype_of()
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "FSZ compresses float and double");
    return std::is_same_v<T, float> ? FSZC_F32 : FSZC_F64;
}

namespace detail
{

template <auto FREE> struct Free
{
    template <class T> void operator()(T *handle) const noexcept { FREE(handle); }
};

template <class T, auto FREE> using Handle = std::unique_ptr<T, Free<FREE>>;

// The handle that a call makes.
template <class T, auto FREE, class Call> Handle<T, FREE> make(Call call)
{
    T *handle = nullptr;
    check(call(&handle));
    return Handle<T, FREE>(handle);
}

template <class Container>
using ElementOf =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Container &>().data())>>;

inline std::size_t product(const Axes &axes)
{
    for (std::uint64_t side : axes)
    {
        if (side == 0)
        {
            return 0;
        }
    }
    std::size_t elements = 1;
    for (std::uint64_t side : axes)
    {
        if (side > SIZE_MAX / elements)
        {
            throw Error(FSZC_INVALID_ARGUMENT, "a shape of more elements than memory can have");
        }
        elements *= static_cast<std::size_t>(side);
    }
    return elements;
}

// The handle for calls that return no status; an object that was moved from has none.
template <class T, auto FREE> T *held(const Handle<T, FREE> &handle)
{
    if (!handle)
    {
        throw Error(FSZC_INVALID_ARGUMENT, "the object was moved from");
    }
    return handle.get();
}

// A struct that a call fills.
template <class T, class Call> T filled(Call call)
{
    T value{};
    check(call(&value, sizeof(T)));
    return value;
}

} // namespace detail

// The most bytes that a stream of such a field takes, without boxes and masks of their own bounds.
template <class T> std::uint64_t max_compressed_len(const Axes &shape)
{
    std::uint64_t len = 0;
    check(fszc_max_compressed_len(shape.data(), shape.size(), dtype_of<T>(), &len));
    return len;
}

// How far a running call is, and whether it shall stop; for another thread than the one that calls.
class Progress
{
public:
    Progress() : handle_(detail::make<fszc_progress, fszc_progress_free>(fszc_progress_new)) {}

    std::uint64_t total() const { return fszc_progress_total(detail::held(handle_)); }
    std::uint64_t done() const { return fszc_progress_done(detail::held(handle_)); }
    void cancel() { check(fszc_progress_cancel(get())); }
    const fszc_progress *get() const noexcept { return handle_.get(); }

private:
    detail::Handle<fszc_progress, fszc_progress_free> handle_;
};

class Stream;

// What a compression is told beside the data. Setters return the object, so that they chain.
class CompressOptions
{
public:
    static CompressOptions absolute(double bound)
    {
        return CompressOptions(
            [=](auto out) { return fszc_compress_options_absolute(bound, out); });
    }

    static CompressOptions value_range(double ratio)
    {
        return CompressOptions(
            [=](auto out) { return fszc_compress_options_value_range(ratio, out); });
    }

    static CompressOptions value_range_of(double ratio, double min, double max)
    {
        return CompressOptions(
            [=](auto out) { return fszc_compress_options_value_range_of(ratio, min, max, out); });
    }

    static CompressOptions relative(double eps, double floor = 0.0)
    {
        return CompressOptions(
            [=](auto out) { return fszc_compress_options_relative(eps, floor, out); });
    }

    static CompressOptions psnr(double decibels)
    {
        return CompressOptions([=](auto out) { return fszc_compress_options_psnr(decibels, out); });
    }

    static CompressOptions ratio(double ratio)
    {
        return CompressOptions([=](auto out) { return fszc_compress_options_ratio(ratio, out); });
    }

    static CompressOptions max_bytes(std::uint64_t bytes)
    {
        return CompressOptions(
            [=](auto out) { return fszc_compress_options_max_bytes(bytes, out); });
    }

    CompressOptions &profile(fszc_profile profile, fszc_layout layout = FSZC_LAYOUT_AUTO) &
    {
        return set(fszc_compress_options_set_profile(handle_.get(), profile, layout));
    }

    CompressOptions profile(fszc_profile profile, fszc_layout layout = FSZC_LAYOUT_AUTO) &&
    {
        return std::move(this->profile(profile, layout));
    }

    CompressOptions &like(const Stream &stream) &;
    CompressOptions like(const Stream &stream) &&;

    CompressOptions &research(const fszc_research &research) &
    {
        return set(fszc_compress_options_set_research(handle_.get(), &research));
    }

    CompressOptions research(const fszc_research &research) &&
    {
        return std::move(this->research(research));
    }

    CompressOptions &missing(double value) &
    {
        return set(fszc_compress_options_add_missing(handle_.get(), value));
    }

    CompressOptions missing(double value) && { return std::move(this->missing(value)); }

    CompressOptions &box(const Axes &start, const Axes &count, double bound) &
    {
        if (start.size() != count.size())
        {
            throw Error(FSZC_INVALID_ARGUMENT, "start and count of a box differ in length");
        }
        return set(fszc_compress_options_add_box(handle_.get(), start.data(), count.data(),
                                                 start.size(), bound));
    }

    CompressOptions box(const Axes &start, const Axes &count, double bound) &&
    {
        return std::move(this->box(start, count, bound));
    }

    /// `mask` has `elements` bytes, 0 where it is not set.
    CompressOptions &mask(const std::uint8_t *mask, std::size_t elements, double bound) &
    {
        return set(fszc_compress_options_add_mask(handle_.get(), mask, elements, bound));
    }

    CompressOptions mask(const std::uint8_t *mask, std::size_t elements, double bound) &&
    {
        return std::move(this->mask(mask, elements, bound));
    }

    CompressOptions &name(const std::string &name) &
    {
        // The C interface would take what stands before it.
        if (name.find('\0') != std::string::npos)
        {
            throw Error(FSZC_INVALID_ARGUMENT, "the name has a zero byte in it");
        }
        return set(fszc_compress_options_set_name(handle_.get(), name.c_str()));
    }

    CompressOptions name(const std::string &name) && { return std::move(this->name(name)); }

    CompressOptions &time_step(std::uint64_t time_step) &
    {
        return set(fszc_compress_options_set_time_step(handle_.get(), time_step));
    }

    CompressOptions time_step(std::uint64_t time_step) &&
    {
        return std::move(this->time_step(time_step));
    }

    CompressOptions &start(const Axes &start) &
    {
        return set(fszc_compress_options_set_start(handle_.get(), start.data(), start.size()));
    }

    CompressOptions start(const Axes &start) && { return std::move(this->start(start)); }

    CompressOptions &threads(std::size_t threads) &
    {
        return set(fszc_compress_options_set_threads(handle_.get(), threads));
    }

    CompressOptions threads(std::size_t threads) && { return std::move(this->threads(threads)); }

    CompressOptions &progress(const Progress &progress) &
    {
        return set(fszc_compress_options_set_progress(handle_.get(), progress.get()));
    }

    CompressOptions progress(const Progress &progress) &&
    {
        return std::move(this->progress(progress));
    }

    const fszc_compress_options *get() const noexcept { return handle_.get(); }

private:
    template <class Call>
    explicit CompressOptions(Call call)
        : handle_(detail::make<fszc_compress_options, fszc_compress_options_free>(call))
    {
    }

    CompressOptions &set(fszc_status status)
    {
        check(status);
        return *this;
    }

    detail::Handle<fszc_compress_options, fszc_compress_options_free> handle_;
};

// What a decompression is told beside the stream.
class DecompressOptions
{
public:
    DecompressOptions()
        : handle_(detail::make<fszc_decompress_options, fszc_decompress_options_free>(
              fszc_decompress_options_new))
    {
    }

    DecompressOptions &threads(std::size_t threads) &
    {
        check(fszc_decompress_options_set_threads(handle_.get(), threads));
        return *this;
    }

    DecompressOptions threads(std::size_t threads) && { return std::move(this->threads(threads)); }

    DecompressOptions &progress(const Progress &progress) &
    {
        check(fszc_decompress_options_set_progress(handle_.get(), progress.get()));
        return *this;
    }

    DecompressOptions progress(const Progress &progress) &&
    {
        return std::move(this->progress(progress));
    }

    // NULL of none(), which the calls take; objects that were moved from have no handle either.
    const fszc_decompress_options *get() const
    {
        return this == &none() ? nullptr : detail::held(handle_);
    }

    // The same as new options, without a handle: for calls that are given none.
    static const DecompressOptions &none()
    {
        static const DecompressOptions options(nullptr);
        return options;
    }

private:
    explicit DecompressOptions(std::nullptr_t) {}

    detail::Handle<fszc_decompress_options, fszc_decompress_options_free> handle_;
};

// A compressed field.
class Stream
{
public:
    // Takes over a handle of the C interface.
    explicit Stream(fszc_stream *handle) : handle_(handle) {}

    // Opens a stream where it lies: the bytes must outlive the object.
    static Stream open(Bytes bytes)
    {
        return made([=](auto out) { return fszc_stream_open(bytes.data(), bytes.size(), out); });
    }

    // A temporary vector would not: copy() takes it.
    static Stream open(std::vector<std::uint8_t> &&bytes) = delete;

    // Opens a copy of a stream.
    static Stream copy(Bytes bytes)
    {
        return made([=](auto out) { return fszc_stream_copy(bytes.data(), bytes.size(), out); });
    }

    // The stream's bytes, as a file holds them; they live as long as the object.
    Bytes bytes() const
    {
        std::size_t len = 0;
        const std::uint8_t *data = fszc_stream_bytes(detail::held(handle_), &len);
        return {data, len};
    }

    fszc_info info() const
    {
        return detail::filled<fszc_info>(
            [this](auto out, auto size) { return fszc_stream_info(get(), out, size); });
    }

    fszc_certificate certificate() const
    {
        return detail::filled<fszc_certificate>(
            [this](auto out, auto size) { return fszc_stream_certificate(get(), out, size); });
    }

    fszc_tile_counts tile_counts() const
    {
        return detail::filled<fszc_tile_counts>(
            [this](auto out, auto size) { return fszc_stream_tile_counts(get(), out, size); });
    }

    // Elements per axis, slowest axis first.
    Axes shape() const
    {
        const fszc_info info = this->info();
        return Axes(info.shape, info.shape + info.ndim);
    }

    // The variable name, if the stream records one; lives as long as the object.
    std::optional<std::string_view> name() const
    {
        const char *name = fszc_stream_name(detail::held(handle_));
        return name ? std::optional<std::string_view>(name) : std::nullopt;
    }

    // The records of all tiles.
    std::vector<fszc_tile> tiles() const { return tiles(0, info().tiles); }

    // The records of some tiles.
    std::vector<fszc_tile> tiles(std::uint64_t first, std::uint64_t count) const
    {
        // That there are so many, before memory is allocated for them.
        const std::uint64_t all = info().tiles;
        if (first > all || count > all - first)
        {
            throw Error(FSZC_INVALID_ARGUMENT, std::to_string(count) + " tiles from " +
                                                   std::to_string(first) + " on, of a field of " +
                                                   std::to_string(all) + " tiles");
        }
        std::vector<fszc_tile> tiles(count);
        check(fszc_stream_tiles(get(), first, count, tiles.data(), sizeof(fszc_tile)));
        return tiles;
    }

    // What each way of coding that an encoder considers costs a tile, by what the tile is decoded
    // to.
    std::vector<fszc_tile_cost> tile_costs(std::uint64_t tile) const
    {
        std::vector<fszc_tile_cost> costs(FSZC_MAX_COSTS);
        std::size_t count = 0;
        check(fszc_stream_tile_costs(get(), tile, costs.data(), &count));
        costs.resize(count);
        return costs;
    }

    // Elements of the tiles from `first` on to, not including, `end`.
    std::uint64_t tile_elements(std::uint64_t first, std::uint64_t end) const
    {
        std::uint64_t elements = 0;
        check(fszc_stream_tile_elements(get(), first, end, &elements));
        return elements;
    }

    // The parts with bounds of their own; where they overlap, the last one holds.
    std::vector<fszc_region> regions() const
    {
        std::vector<fszc_region> regions(info().regions);
        for (std::size_t i = 0; i < regions.size(); ++i)
        {
            check(fszc_stream_region(get(), i, &regions[i], sizeof(fszc_region)));
        }
        return regions;
    }

    // That a box is inside the field: before memory is allocated for its elements.
    void check_box(const Axes &start, const Axes &count) const
    {
        const Axes shape = this->shape();
        bool inside = start.size() == shape.size() && count.size() == shape.size();
        for (std::size_t axis = 0; inside && axis < shape.size(); ++axis)
        {
            inside = start[axis] <= shape[axis] && count[axis] <= shape[axis] - start[axis];
        }
        if (!inside)
        {
            throw Error(FSZC_INVALID_ARGUMENT, "the box is not inside the field");
        }
    }

    // Which region holds each element of a box: its number and 1 more, or 0 for none.
    std::vector<std::uint8_t> regions_of_box(const Axes &start, const Axes &count) const
    {
        check_box(start, count);
        std::vector<std::uint8_t> regions(detail::product(count));
        check(fszc_stream_regions_of_box(get(), start.data(), count.data(), start.size(),
                                         regions.data(), regions.size()));
        return regions;
    }

    const fszc_stream *get() const noexcept { return handle_.get(); }

private:
    template <class Call> static Stream made(Call call)
    {
        return Stream(detail::make<fszc_stream, fszc_stream_free>(call).release());
    }

    detail::Handle<fszc_stream, fszc_stream_free> handle_;
};

inline CompressOptions &CompressOptions::like(const Stream &stream) &
{
    return set(fszc_compress_options_set_like(handle_.get(), stream.get()));
}

inline CompressOptions CompressOptions::like(const Stream &stream) &&
{
    return std::move(this->like(stream));
}

// Compresses fields and decompresses streams. May be used by many threads at once. `threads` is
// that of fszc_codec_new.
class Codec
{
public:
    explicit Codec(fszc_backend backend = FSZC_AUTO, std::size_t device = 0,
                   std::size_t threads = 0)
        : handle_(detail::make<fszc_codec, fszc_codec_free>(
              [=](auto out) { return fszc_codec_new(backend, device, threads, out); }))
    {
    }

    static Codec cpu(std::size_t threads = 0) { return Codec(FSZC_CPU, 0, threads); }
    static Codec cuda(std::size_t device = 0) { return Codec(FSZC_CUDA, device); }

    fszc_backend backend() const { return fszc_codec_backend(detail::held(handle_)); }
    std::string description() const { return fszc_codec_description(detail::held(handle_)); }

    // Compresses a field in C order.
    template <class Field>
    Stream compress(const Field &field, const Axes &shape, const CompressOptions &options) const
    {
        check_size(field.size(), detail::product(shape));
        fszc_stream *stream = nullptr;
        check(fszc_compress(get(), field.data(), dtype_of<detail::ElementOf<const Field>>(),
                            shape.data(), shape.size(), options.get(), &stream));
        return Stream(stream);
    }

    // The absolute bound that a compression with these options keeps.
    template <class Field>
    double find_bound(const Field &field, const Axes &shape, const CompressOptions &options) const
    {
        check_size(field.size(), detail::product(shape));
        double bound = 0;
        check(fszc_find_bound(get(), field.data(), dtype_of<detail::ElementOf<const Field>>(),
                              shape.data(), shape.size(), options.get(), &bound));
        return bound;
    }

    // Compresses a field into memory of the caller; returns the stream's length.
    template <class Field>
    std::size_t compress_into(const Field &field, const Axes &shape, const CompressOptions &options,
                              View<std::uint8_t> out) const
    {
        check_size(field.size(), detail::product(shape));
        std::size_t len = 0;
        check(fszc_compress_into(get(), field.data(), dtype_of<detail::ElementOf<const Field>>(),
                                 shape.data(), shape.size(), options.get(), out.data(), out.size(),
                                 &len));
        return len;
    }

    // Decompresses a whole field.
    template <class T> std::vector<T> decompress(const Stream &stream) const
    {
        std::vector<T> field(stream.info().elements);
        decompress_into(stream, field);
        return field;
    }

    template <class Field>
    void decompress_into(const Stream &stream, Field &&out,
                         const DecompressOptions &options = DecompressOptions::none()) const
    {
        check(fszc_decompress(get(), stream.get(), options.get(),
                              dtype_of<detail::ElementOf<Field>>(), out.data(), out.size()));
    }

    // Decompresses the tiles from `first` on to, not including, `end`.
    template <class T>
    std::vector<T> decompress_tiles(const Stream &stream, std::uint64_t first,
                                    std::uint64_t end) const
    {
        std::vector<T> elements(stream.tile_elements(first, end));
        decompress_tiles_into(stream, first, end, elements);
        return elements;
    }

    template <class Field>
    void decompress_tiles_into(const Stream &stream, std::uint64_t first, std::uint64_t end,
                               Field &&out,
                               const DecompressOptions &options = DecompressOptions::none()) const
    {
        check(fszc_decompress_tiles(get(), stream.get(), options.get(), first, end,
                                    dtype_of<detail::ElementOf<Field>>(), out.data(), out.size()));
    }

    // Decompresses the box of `count` elements from `start` on.
    template <class T>
    std::vector<T> decompress_box(const Stream &stream, const Axes &start, const Axes &count) const
    {
        stream.check_box(start, count);
        std::vector<T> box(detail::product(count));
        decompress_box_into(stream, start, count, box);
        return box;
    }

    template <class Field>
    void decompress_box_into(const Stream &stream, const Axes &start, const Axes &count,
                             Field &&out,
                             const DecompressOptions &options = DecompressOptions::none()) const
    {
        if (start.size() != count.size())
        {
            throw Error(FSZC_INVALID_ARGUMENT, "start and count of a box differ in length");
        }
        check(fszc_decompress_box(get(), stream.get(), options.get(), start.data(), count.data(),
                                  start.size(), dtype_of<detail::ElementOf<Field>>(), out.data(),
                                  out.size()));
    }

    // Decompresses the slice at `index` of an axis, the slowest of which is 0.
    template <class T>
    std::vector<T> decompress_slice(const Stream &stream, std::size_t axis,
                                    std::uint64_t index) const
    {
        Axes shape = stream.shape();
        if (axis >= shape.size())
        {
            // Before memory is allocated for all of the field.
            throw Error(FSZC_INVALID_ARGUMENT, "axis " + std::to_string(axis) + " of a field of " +
                                                   std::to_string(shape.size()) + " dimensions");
        }
        shape[axis] = 1;
        std::vector<T> slice(detail::product(shape));
        decompress_slice_into(stream, axis, index, slice);
        return slice;
    }

    template <class Field>
    void decompress_slice_into(const Stream &stream, std::size_t axis, std::uint64_t index,
                               Field &&out,
                               const DecompressOptions &options = DecompressOptions::none()) const
    {
        check(fszc_decompress_slice(get(), stream.get(), options.get(), axis, index,
                                    dtype_of<detail::ElementOf<Field>>(), out.data(), out.size()));
    }

    const fszc_codec *get() const noexcept { return handle_.get(); }

private:
    static void check_size(std::size_t size, std::size_t elements)
    {
        if (size != elements)
        {
            throw Error(FSZC_INVALID_ARGUMENT, std::to_string(size) + " elements for a shape of " +
                                                   std::to_string(elements));
        }
    }

    detail::Handle<fszc_codec, fszc_codec_free> handle_;
};

// The CUDA devices of this machine; throws with the reason when there is none that can be used.
inline std::vector<fszc_device_info> devices()
{
    std::size_t count = 0;
    check(fszc_device_count(&count));
    std::vector<fszc_device_info> found(count);
    for (std::size_t device = 0; device < count; ++device)
    {
        check(fszc_device_describe(device, &found[device], sizeof(fszc_device_info)));
    }
    return found;
}

// Device memory, for programs that have none of another library.
class DeviceMemory
{
public:
    DeviceMemory(std::size_t device, std::size_t len)
        : handle_(detail::make<fszc_device_memory, fszc_device_memory_free>(
              [=](auto out) { return fszc_device_memory_new(device, len, out); })),
          len_(len)
    {
    }

    void *address() const { return fszc_device_memory_address(detail::held(handle_)); }
    std::size_t size() const noexcept { return len_; }

    template <class T> void write(std::size_t at, View<const T> from)
    {
        check(fszc_device_memory_write(handle_.get(), at, from.data(), from.size() * sizeof(T)));
    }

    template <class T> void read(std::size_t at, View<T> to) const
    {
        check(fszc_device_memory_read(handle_.get(), at, to.data(), to.size() * sizeof(T)));
    }

    template <class Field> void write(std::size_t at, const Field &from)
    {
        const std::size_t len = from.size() * sizeof(detail::ElementOf<const Field>);
        check(fszc_device_memory_write(handle_.get(), at, from.data(), len));
    }

    template <class Field> void read(std::size_t at, Field &&to) const
    {
        const std::size_t len = to.size() * sizeof(detail::ElementOf<Field>);
        check(fszc_device_memory_read(handle_.get(), at, to.data(), len));
    }

private:
    detail::Handle<fszc_device_memory, fszc_device_memory_free> handle_;
    std::size_t len_;
};

// A compression on a device that is ready to be launched.
class Compression
{
public:
    Compression(const Axes &shape, fszc_dtype dtype, const CompressOptions &options)
        : handle_(detail::make<fszc_compression, fszc_compression_free>([&](auto out) {
              return fszc_compression_new(shape.data(), shape.size(), dtype, options.get(), out);
          }))
    {
    }

    std::uint64_t max_len() const { return fszc_compression_max_len(detail::held(handle_)); }
    std::uint64_t scratch_len() const
    {
        return fszc_compression_scratch_len(detail::held(handle_));
    }
    const fszc_compression *get() const noexcept { return handle_.get(); }

private:
    detail::Handle<fszc_compression, fszc_compression_free> handle_;
};

// What must be known of a stream in device memory to decode it there.
class StreamKind
{
public:
    StreamKind(const Axes &shape, fszc_dtype dtype, const CompressOptions &options)
        : handle_(detail::make<fszc_stream_kind, fszc_stream_kind_free>([&](auto out) {
              return fszc_stream_kind_new(shape.data(), shape.size(), dtype, options.get(), out);
          }))
    {
    }

    explicit StreamKind(const Stream &stream)
        : handle_(detail::make<fszc_stream_kind, fszc_stream_kind_free>(
              [&](auto out) { return fszc_stream_kind_of(stream.get(), out); }))
    {
    }

    std::uint64_t elements() const { return fszc_stream_kind_elements(detail::held(handle_)); }
    const fszc_stream_kind *get() const noexcept { return handle_.get(); }

private:
    detail::Handle<fszc_stream_kind, fszc_stream_kind_free> handle_;
};

// The codec of a CUDA device for fields and streams in its memory.
class DeviceCodec
{
public:
    explicit DeviceCodec(std::size_t device = 0)
        : handle_(detail::make<fszc_device_codec, fszc_device_codec_free>(
              [=](auto out) { return fszc_device_codec_new(device, out); }))
    {
    }

    static std::size_t decompress_scratch_len() { return fszc_device_decompress_scratch_len(); }

    void compress(const Compression &compression, const void *field, void *stream,
                  std::uint64_t capacity, void *scratch,
                  fszc_cuda_stream cuda_stream = nullptr) const
    {
        check(fszc_device_compress(get(), compression.get(), field, stream, capacity, scratch,
                                   cuda_stream));
    }

    std::uint64_t compressed_len(const void *scratch, std::uint64_t capacity,
                                 fszc_cuda_stream cuda_stream = nullptr) const
    {
        std::uint64_t len = 0;
        check(fszc_device_compressed_len(get(), scratch, capacity, cuda_stream, &len));
        return len;
    }

    void decompress(const StreamKind &kind, const void *stream, std::uint64_t capacity, void *out,
                    void *scratch, fszc_cuda_stream cuda_stream = nullptr) const
    {
        check(
            fszc_device_decompress(get(), kind.get(), stream, capacity, out, scratch, cuda_stream));
    }

    void decompress_tiles(const StreamKind &kind, const void *stream, std::uint64_t capacity,
                          std::uint64_t first, std::uint64_t end, void *out, void *scratch,
                          fszc_cuda_stream cuda_stream = nullptr) const
    {
        check(fszc_device_decompress_tiles(get(), kind.get(), stream, capacity, first, end, out,
                                           scratch, cuda_stream));
    }

    void decompress_box(const StreamKind &kind, const void *stream, std::uint64_t capacity,
                        const Axes &start, const Axes &count, void *out, void *scratch,
                        fszc_cuda_stream cuda_stream = nullptr) const
    {
        if (start.size() != count.size())
        {
            throw Error(FSZC_INVALID_ARGUMENT, "start and count of a box differ in length");
        }
        check(fszc_device_decompress_box(get(), kind.get(), stream, capacity, start.data(),
                                         count.data(), start.size(), out, scratch, cuda_stream));
    }

    void decompress_slice(const StreamKind &kind, const void *stream, std::uint64_t capacity,
                          std::size_t axis, std::uint64_t index, void *out, void *scratch,
                          fszc_cuda_stream cuda_stream = nullptr) const
    {
        check(fszc_device_decompress_slice(get(), kind.get(), stream, capacity, axis, index, out,
                                           scratch, cuda_stream));
    }

    // Waits, and throws when the decompression with this scratch memory failed.
    void outcome(const void *scratch, fszc_cuda_stream cuda_stream = nullptr) const
    {
        check(fszc_device_outcome(get(), scratch, cuda_stream));
    }

    // Compresses a field in device memory to host memory; returns the stream's length.
    std::size_t compress_to_host(const Compression &compression, const void *field,
                                 View<std::uint8_t> out) const
    {
        std::size_t len = 0;
        check(fszc_device_compress_to_host(get(), compression.get(), field, out.data(), out.size(),
                                           &len));
        return len;
    }

    void decompress_from_host(const Stream &stream, void *out) const
    {
        check(fszc_device_decompress_from_host(get(), stream.get(), out));
    }

    const fszc_device_codec *get() const noexcept { return handle_.get(); }

private:
    detail::Handle<fszc_device_codec, fszc_device_codec_free> handle_;
};

} // namespace fsz_codec

#endif // FSZ_CODEC_HPP
