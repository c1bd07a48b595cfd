import { connectJetStream } from '@kubewright/migratable/jetstream';
import { jetstreamBrokers } from '@kubewright/operators';
import { encodeMessage } from '../../../packages/migratable/src/jetstream/encode-message.ts';
import { NatsLink } from '../../../packages/migratable/src/jetstream/nats-link.ts';
import type {
  BrokerKind,
  BrokerUnderTest,
} from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

/** An exchange is a stream of all subjects below its name. */
export const JETSTREAM: BrokerKind = {
  routes: [
    { type: 'fanout', key: '', keys: ['any', 'other'] },
    { type: 'direct', key: 'any', keys: ['any'], foreign: 'other' },
    { type: 'topic', key: 'a.*.>', keys: ['a.x.y', 'a.x.y.z'], foreign: 'b.x.y' },
  ],
  keyOf: (exchange, key) => (key === '' ? '' : `${exchange}.${key}`),
  countsInHand: true,
};

const AT_A_TIME = 500;

/** Whoever publishes, and makes streams. */
const ADMIN = { user: 'admin', pass: 'all' };
/** An operator or an application, with the least that it may do, see the README of `migration`. */
export const APPLICATION = { username: 'application', password: 'a-secret' };
/** May not write. */
export const READER = { username: 'reader', password: 'another-one' };
const RIGHTS = `
    publish: [
      "ms2m.>", "_INBOX.>",
      "$JS.API.STREAM.CREATE.MS2M_QUEUES", "$JS.API.STREAM.CREATE.MS2M_MESSAGES",
      "$JS.API.STREAM.PURGE.MS2M_QUEUES", "$JS.API.STREAM.PURGE.MS2M_MESSAGES",
      "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*",
      "$JS.API.CONSUMER.CREATE.*.>", "$JS.API.CONSUMER.DELETE.*.*"
    ]
    subscribe: ["ms2m.>", "_INBOX.>", "*.>"]`;
const usersWith = (rights: string): string => `authorization { users: [
  { user: ${ADMIN.user}, password: ${ADMIN.pass} }
  { user: ${APPLICATION.username}, password: ${APPLICATION.password}, permissions: {${rights}
  } }
  { user: ${READER.username}, password: ${READER.password}, permissions: {
    publish: ["$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*"], subscribe: "_INBOX.>"
  } }
] }`;
export const PERMISSIONS = usersWith(RIGHTS);
/** {@link APPLICATION} may only connect. */
export const CLEARED = usersWith('publish: { deny: ">" }');

/** Over a wire that can be cut. The server has {@link PERMISSIONS}. */
export async function jetstreamUnderTest(target: {
  readonly port: number;
}): Promise<BrokerUnderTest & { readonly close: () => Promise<void> }> {
  const wire = await startTcpProxy(target);
  const url = `nats://127.0.0.1:${wire.port}`;
  const brokers = jetstreamBrokers();
  const messages = connectJetStream({ url, ...APPLICATION });
  const admin = new NatsLink({ servers: `127.0.0.1:${target.port}`, ...ADMIN });
  return {
    broker: brokers.at({ url, credentials: APPLICATION }),
    messages,
    async declareExchange(name) {
      await admin.use(({ streams }) => streams.add({ name, subjects: [`${name}.>`] }));
    },
    async publish(exchange, routingKey, published) {
      const subject = routingKey === '' ? `${exchange}.any` : routingKey;
      // Each waits for its response for some seconds: of thousands at once the last ones would be late on a busy machine.
      for (let first = 0; first < published.length; first += AT_A_TIME)
        await admin.use(({ publish }) =>
          Promise.all(
            published.slice(first, first + AT_A_TIME).map((message) => {
              const { data, headers } = encodeMessage(message);
              return publish(subject, data, { headers });
            }),
          ),
        );
    },
    disconnect: async () => wire.cut('reset'),
    async close() {
      await Promise.all([brokers.close(), messages.close(), admin.close()]);
      await wire.close();
    },
  };
}
