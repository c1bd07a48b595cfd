// Fills an informer of client-go with all pods, managedFields dropped, and prints as a line of JSON how long that took
// and how much memory the process has then, garbage collected and what is free given back to the system.
//
// Usage: cache KUBECONFIG typed|dynamic
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type measured struct {
	Objects     int     `json:"objects"`
	SyncSeconds float64 `json:"syncSeconds"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	Rss         uint64  `json:"rss"`
	HighestRss  uint64  `json:"highestRss"`
	Heap        uint64  `json:"heap"`
}

func informerOf(form string, config *rest.Config) cache.SharedIndexInformer {
	if form == "dynamic" {
		factory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0)
		return factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	return informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0).Core().V1().Pods().Informer()
}

func dropManagedFields(object any) (any, error) {
	accessor, err := meta.Accessor(object)
	if err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, err
}

// What the kernel says of this process, in bytes.
func status(field string) uint64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), field+":")
	kilobytes, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return kilobytes * 1024
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	informer := informerOf(os.Args[2], config)
	if err := informer.SetTransform(dropManagedFields); err != nil {
		log.Fatal(err)
	}
	cpu, began := cpuSeconds(), time.Now()
	go informer.Run(context.Background().Done())
	for !informer.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	seconds, onCore := time.Since(began).Seconds(), cpuSeconds()-cpu
	highest := status("VmHWM")
	runtime.GC()
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	answer := measured{len(informer.GetStore().ListKeys()), seconds, onCore, status("VmRSS"), highest, memory.HeapAlloc}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
