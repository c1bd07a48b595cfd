// The second client of an attack: it writes a ConfigMap that a policy of drift watches, and asks the manager for /readyz, again and
// again. `begin` and `end` on its input are answered with a line of JSON. It uses what was built, so that it starts at once.
//
// Usage: node second-client-process.mjs KUBECONFIG HEALTH_PORT
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';

const PAUSE_MS = 20;
const ERRORS = 5;
const KEY = { namespace: 'bystander', name: 'bystander' };

const [, , kubeconfig, healthPort] = process.argv;
const client = createClient(kubeconfigTransport(await loadKubeconfig(kubeconfig)));

let writes = [];
let looks = [];
let errors = [];
let round = 0;
let isOn = false;

async function timed(into, work) {
  const began = performance.now();
  try {
    await work();
  } catch (error) {
    if (errors.length < ERRORS) errors.push(error.message);
  }
  into.push(performance.now() - began);
}

const write = () =>
  client.patch(corev1.configmaps, KEY, { type: 'merge', body: { data: { round: String(++round) } } });

function readyz() {
  return new Promise((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port: healthPort, path: '/readyz', agent: false },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`/readyz: ${response.statusCode}`)),
        );
      },
    );
    request.on('error', reject);
  });
}

const underWay = new Map();

async function repeat(work, times) {
  for (;;) {
    if (isOn) {
      underWay.set(work, timed(times(), work));
      await underWay.get(work);
    }
    await sleep(PAUSE_MS);
  }
}

const worst = (times) => Math.max(0, ...times);
const p99 = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

async function obey() {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'begin') {
      [writes, looks, errors] = [[], [], []];
      isOn = true;
      console.log('true');
    } else {
      isOn = false;
      // What is under way counts: the slowest ones are among them.
      await Promise.all(underWay.values());
      const [slowestWrite, slowestReadyz, p99Write] = [worst(writes), worst(looks), p99(writes)];
      console.log(JSON.stringify({ writes: writes.length, slowestWrite, slowestReadyz, p99Write, errors }));
    }
  }
}

await Promise.race([obey(), repeat(write, () => writes), repeat(readyz, () => looks)]);
process.exit();
