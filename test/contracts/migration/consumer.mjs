// A consumer that counts, as an application writes it: what it has in memory is nowhere else.
import { container } from '@kubewright/cluster/container';
import { Migratable } from '@kubewright/migratable';
import { connectAmqp } from '@kubewright/migratable/amqp';

const { pod, onTerminate, setReady } = container();
const { BROKER_URL, QUEUE } = process.env;
let state = { applied: 0, last: 0, missing: 0, double: 0 };

function apply({ body: { seq } }) {
  const { applied, last, missing, double } = state;
  const isLater = seq > last;
  state = {
    applied: applied + 1,
    last: Math.max(last, seq),
    missing: missing + (isLater ? seq - last - 1 : 0),
    double: double + (isLater ? 0 : 1),
  };
  console.log(JSON.stringify(state));
}

setReady(false);
const stop = new AbortController();
onTerminate(() => stop.abort());
const messages = connectAmqp({ url: BROKER_URL });
const app = new Migratable({
  queue: QUEUE,
  messages,
  pod: pod.uid,
  apply,
  snapshot: () => state,
  restore: (from) => void (state = from),
  onReport: ({ mode }) => {
    setReady(mode === 'running');
    console.log(JSON.stringify(state));
  },
});
await app.start(stop.signal);
await messages.close();
