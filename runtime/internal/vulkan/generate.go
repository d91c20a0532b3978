package vulkan

//go:generate sh -c "cd kernels && for k in copy divide divide64 fill fused rounds subnormals subnormals64 subnormalsadd; do glslc -O --target-env=vulkan1.2 -o $DOLLAR{k}.spv $DOLLAR{k}.comp || exit 1; done"
