// An API server, built, in a process of its own, which answers its two users late and counts what they read.
// Orders, a line each: `start`, `latency MS`, `reads`.
import { createInterface } from 'node:readline';
import { createApiServer } from '@kubewright/apiserver';

const USERS = ['ours', 'theirs'];
const READS = new Set(['get', 'list']);

const users = USERS.map((username) => ({
  token: `token-of-${username}`,
  user: { username, uid: username, groups: ['system:masters', 'system:authenticated'], extra: {} },
}));
const server = createApiServer({ users });
const address = await server.listen({ port: 0 });
const recording = server.recordRequests();

const orders = {
  start: () => ({ url: address.url, caCert: address.caCert, tokens: users.map(({ token }) => token) }),
  latency(ms) {
    server.faults.clear();
    const fault = { type: 'delay', ms: Number(ms) };
    if (fault.ms > 0) for (const user of USERS) server.faults.add({ user, times: Infinity, fault });
    return {};
  },
  /** The reads of each user since the last time. */
  reads() {
    const reads = recording.requests.filter(({ verb }) => READS.has(verb)).map(({ user }) => user);
    recording.clear();
    return USERS.map((user) => reads.filter((one) => one === user).length);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [order, argument] = line.split(' ');
  process.stdout.write(`${JSON.stringify(orders[order](argument))}\n`);
}
await server.close();
