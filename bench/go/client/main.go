// Creates ConfigMaps with client-go, many at a time: for each line `PREFIX COUNT` on standard input it creates so many,
// and prints what that took as a line of JSON.
//
// Usage: client KUBECONFIG NAMESPACE CONCURRENCY
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

type took struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func createMany(maps corev1client.ConfigMapInterface, prefix string, count, concurrency int) took {
	text := strings.Repeat("x", 512)
	var next atomic.Int64
	var lanes sync.WaitGroup
	cpu, began := cpuSeconds(), time.Now()
	for range concurrency {
		lanes.Go(func() {
			for index := int(next.Add(1)); index <= count; index = int(next.Add(1)) {
				object := &corev1.ConfigMap{
					ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", prefix, index)},
					Data:       map[string]string{"text": text},
				}
				if _, err := maps.Create(context.Background(), object, metav1.CreateOptions{}); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	lanes.Wait()
	return took{time.Since(began).Seconds(), cpuSeconds() - cpu}
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// Its own limit of 5 calls a second is not what is compared.
	config.QPS = -1
	concurrency, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(os.Args[2])
	answers := json.NewEncoder(os.Stdout)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		var prefix string
		var count int
		if _, err := fmt.Sscanf(orders.Text(), "%s %d", &prefix, &count); err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(createMany(maps, prefix, count, concurrency)); err != nil {
			log.Fatal(err)
		}
	}
}
