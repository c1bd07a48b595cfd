/**
 * Runs in a worker before its script: threads share the ports of the process, containers have their own. A server of a worker
 * listens on a free port of the loopback, and keeps the number that it was given: `address()` has it, nobody else in the worker
 * gets it, and the node knows where it leads. Servers on the loopback or on a path are left alone. The name of the host is that
 * of the pod. Text, as in `signal-options.ts`.
 */
const PORTS = `
import { syncBuiltinESMExports } from 'node:module';
import { Server } from 'node:net';
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
os.hostname = () => process.env.HOSTNAME;
syncBuiltinESMExports();
const { listen, address } = Server.prototype;
const taken = new Map();
const wantedBy = ([first, second]) => {
  if (typeof first === 'object' && first !== null) return 'port' in first && first.path === undefined ? first : undefined;
  if (first == null || typeof first === 'function') return { port: 0 };
  if (!/^\\d+$/.test(String(first))) return undefined;
  return { port: first, ...(typeof second === 'string' && { host: second }) };
};
const isLoopback = (host) => host === 'localhost' || host === '::1' || /^127\\./.test(host ?? '');
Server.prototype.listen = function (...args) {
  const wanted = wantedBy(args);
  if (wanted === undefined || isLoopback(wanted.host)) return listen.apply(this, args);
  const port = Number(wanted.port ?? 0);
  const done = args.at(-1);
  if (typeof done === 'function') this.once('listening', done);
  if (taken.has(port)) {
    const host = wanted.host ?? '::';
    const error = new Error('listen EADDRINUSE: address already in use ' + host + ':' + port);
    process.nextTick(() => this.emit('error', Object.assign(error, { code: 'EADDRINUSE', syscall: 'listen', address: host, port })));
    return this;
  }
  if (port !== 0) taken.set(port, this);
  this.prependOnceListener('listening', () => {
    const { port: at } = address.call(this);
    const own = port === 0 ? at : port;
    taken.set(own, this);
    parentPort.postMessage({ type: 'listening', port: own, at });
    this.once('close', () => {
      taken.delete(own);
      parentPort.postMessage({ type: 'closed', port: own });
    });
  });
  return listen.call(this, { port: 0, host: '127.0.0.1', ...(wanted.signal && { signal: wanted.signal }) });
};
Server.prototype.address = function () {
  const found = address.call(this);
  const [own] = [...taken].find(([, server]) => server === this) ?? [];
  return own === undefined || typeof found !== 'object' || found === null ? found : { ...found, port: own };
};
`;

/** Options of Node for a thread whose servers listen as those of a container do. */
export const LISTEN_OPTIONS: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(PORTS)}`,
];
