// What both JavaScript sides do: for each line `PREFIX COUNT` on standard input they create so many ConfigMaps, and print
// what that took as a line of JSON.
import { createInterface } from 'node:readline';

/** Reads orders until the input ends. `create` makes one object. */
export async function answerOrders(namespace, concurrency, create) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [prefix, count] = line.split(' ');
    process.stdout.write(
      `${JSON.stringify(await createMany(namespace, prefix, Number(count), concurrency, create))}\n`,
    );
  }
}

async function createMany(namespace, prefix, count, concurrency, create) {
  const text = 'x'.repeat(512);
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) {
      const metadata = { namespace, name: `${prefix}-${index}` };
      await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } });
    }
  };
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}
