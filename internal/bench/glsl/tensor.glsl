// C = A * Bᵀ by matrices of sub-groups, for tensor16.comp and tensor8.comp, which define ELEM, SUM, PER (elements in 16
// bytes) and DEEP (the columns of a matrix A of the device). Rows of A and B, and columns of C, are multiples of 128,
// and columns of A and B are multiples of 8 * PER.
//
// A work-group of 4 sub-groups computes 128 by 128 elements, and each sub-group 64 by 64 of these. Of a dozen sizes this was
// the fastest on an H200: 8 sub-groups of 64 by 32 reach 0.97 of it, tiles of 128 by 256 0.92, and 64 bytes a round 0.5.
// In a round it multiplies 128 rows of A by 128 rows of B, of 8 words of 16 bytes each. While it does, the loads of the next round are
// under way to registers. In work-group memory a row takes 9 words, so that rows begin in different banks.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#pragma use_vulkan_memory_model
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Words { uvec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer Sums { SUM at[]; };

layout(push_constant, scalar) uniform Launch {
	uint64_t fault;
	uint rx, ry, rz, zero;
	int64_t n, words;
	Words a;
	int64_t na;
	Words b;
	int64_t nb;
	Sums c;
	int64_t nc;
} p;

const uint tile = 128, row = 8, pitch = 9, items = 128, each = tile * row / items, band = 8;

shared uvec4 left[tile * pitch], right[tile * pitch];

uvec4 nextA[each], nextB[each];

// load begins to load the words of a round from word k of each row on.
void load(uint words, uint top, uint side, uint k) {
	[[unroll]] for (uint j = 0; j < each; j++) {
		const uint i = j * items + gl_LocalInvocationID.x;
		nextA[j] = p.a.at[(top + i / row) * words + k + i % row];
		nextB[j] = p.b.at[(side + i / row) * words + k + i % row];
	}
}

void main() {
	const uint n = uint(p.n), words = uint(p.words), tiles = n / tile;
	// Groups go down a band of some columns of tiles, so that those that run at a time need few rows of A and B.
	const uint g = gl_WorkGroupID.x, down = gl_NumWorkGroups.x / tiles;
	const uint first = g / (band * down) * band, wide = min(band, tiles - first);
	const uint top = (g - first * down) / wide * tile, side = (first + (g - first * down) % wide) * tile;
	const uint y = gl_SubgroupID / 2 * 64, x = gl_SubgroupID % 2 * 64;

	coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> acc[4][4];
	[[unroll]] for (uint i = 0; i < 4; i++) [[unroll]] for (uint j = 0; j < 4; j++) {
		acc[i][j] = coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(SUM(0));
	}
	load(words, top, side, 0);
	for (uint k = 0; k < words; k += row) {
		barrier();
		[[unroll]] for (uint j = 0; j < each; j++) {
			const uint i = j * items + gl_LocalInvocationID.x;
			left[i / row * pitch + i % row] = nextA[j];
			right[i / row * pitch + i % row] = nextB[j];
		}
		barrier();
		if (k + row < words) {
			load(words, top, side, k + row);
		}
		[[unroll]] for (uint d = 0; d < row; d += DEEP / PER) {
			coopmat<ELEM, gl_ScopeSubgroup, 16, DEEP, gl_MatrixUseA> a[4];
			[[unroll]] for (uint i = 0; i < 4; i++) {
				coopMatLoad(a[i], left, (y + 16 * i) * pitch + d, pitch, gl_CooperativeMatrixLayoutRowMajor);
			}
			[[unroll]] for (uint j = 0; j < 4; j++) {
				coopmat<ELEM, gl_ScopeSubgroup, DEEP, 16, gl_MatrixUseB> b;
				coopMatLoad(b, right, (x + 16 * j) * pitch + d, pitch, gl_CooperativeMatrixLayoutColumnMajor);
				[[unroll]] for (uint i = 0; i < 4; i++) {
					acc[i][j] = coopMatMulAdd(a[i], b, acc[i][j]);
				}
			}
		}
	}
	[[unroll]] for (uint i = 0; i < 4; i++) [[unroll]] for (uint j = 0; j < 4; j++) {
		coopMatStore(acc[i][j], p.c.at, (top + y + 16 * i) * n + side + x + 16 * j, n, gl_CooperativeMatrixLayoutRowMajor);
	}
}
