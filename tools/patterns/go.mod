module kubewright.dev/patterns

go 1.26.0
