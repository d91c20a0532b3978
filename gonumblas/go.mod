module github.com/kgen-go/kgen/gonumblas

go 1.26.0

require (
	github.com/kgen-go/kgen v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/vulkan-go/vulkan v0.0.0-20221209234627-c0a353ae26c8 // indirect
)

replace github.com/kgen-go/kgen => ../
