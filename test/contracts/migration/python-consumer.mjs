// The Python sample in a container of a worker: a process of its own, which is killed when the thread ends.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { container } from '@kubewright/cluster/container';
import { connectAmqp } from '@kubewright/migratable/amqp';

const { pod, onTerminate, setReady } = container();
const { BROKER_URL, QUEUE } = process.env;
// Where Debian's packages are.
const PYTHON = '/usr/bin/python3';
const sample = fileURLToPath(new URL('../../../examples/python/consumer.py', import.meta.url));

setReady(false);
const stop = new AbortController();
const child = spawn('/usr/bin/setpriv', ['--pdeathsig', 'KILL', PYTHON, sample], {
  env: { ...process.env, POD_UID: pod.uid, PYTHONDONTWRITEBYTECODE: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
onTerminate(() => {
  stop.abort();
  child.kill('SIGTERM');
});
child.stdout.pipe(process.stdout);
const errors = [];
createInterface({ input: child.stderr }).on('line', (line) => {
  if (line.startsWith('mode ')) setReady(line === 'mode running');
  else errors.push(line);
});
child.once('close', (code) => {
  // Whoever reads the log of a process that is well expects the messages that it has applied, and nothing else.
  if (code !== 0) console.error(errors.join('\n'));
  process.exitCode = code ?? 1;
  stop.abort();
});

// Any message in this queue ends the process, once.
const ends = connectAmqp({ url: BROKER_URL });
for await (const { ack } of ends.consume(`${QUEUE}.end`, { prefetch: 1, signal: stop.signal })) {
  ack();
  break;
}
await ends.close();
if (!stop.signal.aborted) child.kill('SIGKILL');
