// Compresses a field with missing values, and decodes it in parts.
#include <fsz_codec.hpp>

#include <cstdio>
#include <vector>

int main()
{
    // A field of 12 x 100 x 200 in C order, the slowest axis first. Land is 1e20.
    const fsz_codec::Axes shape{12, 100, 200};
    std::vector<double> field(12 * 100 * 200, 1e20);
    for (std::size_t i = 0; i < field.size(); ++i)
    {
        if (i / 200 % 100 > 30)
        {
            field[i] = 10.0 + 0.002 * static_cast<double>(i % 4000);
        }
    }

    fsz_codec::Codec codec; // the CPU, or CUDA where it is faster
    auto options = fsz_codec::CompressOptions::absolute(1e-3);
    options.missing(1e20).name("salinity").time_step(17);
    const fsz_codec::Stream stream = codec.compress(field, shape, options);
    std::printf("%.1f : 1, %llu missing values\n", stream.info().compression_ratio,
                static_cast<unsigned long long>(stream.certificate().missing));

    const std::vector<double> decoded = codec.decompress<double>(stream);
    const std::vector<double> column = codec.decompress_box<double>(stream, {0, 50, 7}, {12, 1, 1});
    const bool same = decoded[0] == 1e20 && column[1] == decoded[20000 + 50 * 200 + 7];

    try
    {
        codec.decompress<float>(stream);
    }
    catch (const fsz_codec::Error &error)
    {
        std::printf("%s\n", error.what());
    }
    return same ? 0 : 1;
}
