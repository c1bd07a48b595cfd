// An API server, built, in a process of its own, which answers its two users late and counts what they read.
// Orders, a line each: `start`, `latency MS`, `reads`, `create [OBJECT, COUNT]`.
import { createInterface } from 'node:readline';
import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';

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
  /** Deployments like this one, with a number after their names. */
  async create(deployment, count) {
    const client = createClient(server.transport());
    const { name, ...metadata } = deployment.metadata;
    const deployments = { group: 'apps', version: 'v1', kind: 'Deployment' };
    for (let index = 0; index < count; index++) {
      const created = { ...deployment, metadata: { ...metadata, name: `${name}${index}` } };
      const stored = await client.create(deployments, created);
      // A create has no managedFields: the record comes with an update.
      const { managedFields = [] } = metadata;
      if (managedFields.length === 0) continue;
      const all = [...managedFields, ...stored.metadata.managedFields];
      await client.update(deployments, { ...stored, metadata: { ...stored.metadata, managedFields: all } });
      recording.clear();
    }
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [order, ...given] = line.split(' ');
  const [argument, count] = order === 'create' ? JSON.parse(given.join(' ')) : given;
  process.stdout.write(`${JSON.stringify(await orders[order](argument, count))}\n`);
}
await server.close();
