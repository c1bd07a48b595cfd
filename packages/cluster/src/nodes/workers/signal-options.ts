/**
 * Runs in a worker before its script: a thread gets no signals, so `process.on('SIGTERM', …)` is made to mean what it means in
 * a process. Text, because a thread loads it by itself, wherever the rest of the program is bundled.
 */
const SIGNALS = `
import { parentPort } from 'node:worker_threads';
let isHandled = false;
process.on('newListener', (name) => {
  if (name !== 'SIGTERM' || isHandled) return;
  isHandled = true;
  parentPort.on('message', ({ type }) => {
    if (type === 'terminate') process.emit('SIGTERM', 'SIGTERM', 15);
  });
  parentPort.unref();
  parentPort.postMessage({ type: 'handles', what: 'terminate' });
});
`;

/** Options of Node for a thread that handles SIGTERM. */
export const SIGNAL_OPTIONS: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(SIGNALS)}`,
];
