#include "judge/kernel_names.h"

#include <gtest/gtest.h>

namespace kbeval {
namespace {

TEST(OwnKernels, LibrariesKernelsAreNobodysOwn) {
    for (const char* name : {
             "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEviPT0_",
             "ampere_sgemm_128x64_nn",
             "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_cublas",
             "sm80_xmma_fprop_implicit_gemm_f32f32",
             "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT",
             "triton_poi_fused_add_relu_0",
             "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(cutlass_80::Params)",
             "_Z10dot_kernelIfLi128ELi0EEvPT_",
         }) {
        EXPECT_TRUE(is_library_name(name)) << name;
    }
}

TEST(OwnKernels, NamesThatAnyoneMayGiveAreTheirOwn) {
    for (const char* name :
         {"reduce_kernel", "elementwise_kernel", "dot_kernel", "softmax_warp_forward", "sm90_gemm",
          "_Z13reduce_kernelPKfPfi", "_ZN3own10add_kernelIfEEvPT_", "gemm", "attention_kernel"}) {
        EXPECT_FALSE(is_library_name(name)) << name;
    }
}

TEST(OwnKernels, WhatTheReferenceLaunchesTooIsNotOwn) {
    const std::vector<OwnKernel> defined{{"gelu", "triton"}};
    protocol::KernelRecord record;
    record.name = "gelu";
    EXPECT_TRUE(is_own_kernel("gelu", defined));
    EXPECT_FALSE(is_own_kernel("gelu", defined, {record}));
    EXPECT_FALSE(is_own_kernel("relu", defined));
}

TEST(OwnKernels, AKernelBesideAllOfTheReferencesReplacesNone) {
    const auto launched = [](std::vector<std::pair<std::string, int>> all) {
        std::vector<protocol::KernelRecord> records;
        for (const auto& [name, launches] : all) {
            protocol::KernelRecord record;
            record.name = name;
            record.launches = launches;
            records.push_back(record);
        }
        return records;
    };
    const auto reference = launched({{"sgemm", 3}, {"add", 6}});
    EXPECT_TRUE(replaces_nothing(launched({{"sgemm", 3}, {"add", 6}, {"own", 3}}), reference));
    EXPECT_TRUE(replaces_nothing(launched({{"sgemm", 1}, {"sgemm", 2}, {"add", 7}}), reference));
    EXPECT_FALSE(replaces_nothing(launched({{"sgemm", 3}, {"add", 3}, {"own", 3}}), reference));
    EXPECT_FALSE(replaces_nothing(launched({{"own", 3}}), reference));
    EXPECT_FALSE(replaces_nothing(launched({{"own", 3}}), {}));
}

}  // namespace
}  // namespace kbeval
