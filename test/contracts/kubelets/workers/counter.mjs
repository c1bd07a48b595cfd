// A container that counts, for tests: what it does is told by its arguments.
import { container } from '@kubewright/cluster/container';

const { pod, restored, onCheckpoint, onTerminate, setReady } = container();
const does = new Set(process.argv.slice(2));
let count = restored?.count ?? 0;

if (does.has('remember')) onCheckpoint(() => ({ count }));
if (does.has('handle'))
  onTerminate(() => {
    console.log('asked to end');
    process.exit(7);
  });
if (does.has('ignore')) onTerminate(() => console.log('asked to end, but goes on'));
if (does.has('unready')) setReady(false);
// Who reads this may take it that all of the above is in force.
console.log(
  `${pod.name} begins with ${count}, greeting ${process.env.GREETING}, ${process.argv.slice(2).join(' ')}`,
);
console.error('to stderr');
if (does.has('count')) {
  setInterval(() => {
    count += 1;
    if (count <= 3) console.log(`count ${count}`);
  }, 5);
}
if (does.has('crash')) throw new RangeError('it crashed');
if (does.has('exit')) process.exit(3);
if (does.has('hoard')) for (const hoard = []; ; ) hoard.push(Array.from({ length: 10_000 }, () => ({})));
if (does.has('stay')) setInterval(() => undefined, 1000);
