import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { connectJetStream, type JetStreamOptions } from '@kubewright/migratable/jetstream';
import { jetstreamBrokers } from '@kubewright/operators';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCredentials, makeNkey } from '../../../packages/migratable/src/testing/nats-credentials.ts';
import { type NatsRelease, startNats, whyNoNats } from '../../servers/nats.ts';
import { issueCertificate, makeAuthority } from '../../support/certificates.ts';
import { useFolder } from '../../support/use-folder.ts';

type Login = Omit<JetStreamOptions, 'url' | 'name' | 'clock'>;
type Case = {
  readonly scheme?: 'tls';
  readonly config: string;
  readonly right: Login;
  readonly wrong: Login;
  /** Why the wrong one is rejected. */
  readonly why: RegExp;
};

const DENIED = /Authorization Violation/i;

function byToken(): Case {
  const config = 'authorization { token: "a-secret-token" }';
  return { config, right: { token: 'a-secret-token' }, wrong: { token: 'a-secret-other' }, why: DENIED };
}

function byNkey(): Case {
  const { user, seed } = makeNkey();
  const config = `authorization { users: [{ nkey: ${user} }] }`;
  return { config, right: { nkey: seed }, wrong: { nkey: makeNkey().seed }, why: DENIED };
}

function byCredentials(): Case {
  const { config, credentials } = makeCredentials();
  return {
    config,
    right: { credentials },
    wrong: { credentials: makeCredentials().credentials },
    why: DENIED,
  };
}

async function byCertificate(folder: string): Promise<Case> {
  const authority = await makeAuthority('of the broker');
  const server = await issueCertificate(authority, { subject: [{ CN: ['server'] }], usage: 'server' });
  const client = await issueCertificate(authority, { subject: [{ CN: ['client'] }], usage: 'client' });
  const files = { ca: authority.cert, cert: server.cert, key: server.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  const at = (name: string): string => JSON.stringify(join(folder, name));
  return {
    scheme: 'tls',
    config: `tls { cert_file: ${at('cert')}, key_file: ${at('key')}, ca_file: ${at('ca')}, verify: true }`,
    right: { ca: authority.cert, ...client },
    wrong: { ca: (await makeAuthority('of another')).cert, ...client },
    why: /certificate|signature/i,
  };
}

const LOGINS: Readonly<Record<string, (folder: string) => Case | Promise<Case>>> = {
  'a token': byToken,
  'an NKEY': byNkey,
  'a credentials file': byCredentials,
  'a client certificate, over TLS': byCertificate,
};

describe.each<NatsRelease>(['host', 'pinned'])('logging in at NATS (%s)', (release) => {
  const why = whyNoNats(release);
  const folder = useFolder();

  describe.skipIf(why !== undefined)(why === undefined ? 'with' : `with [${why}]`, () => {
    test.each(Object.keys(LOGINS))(
      '%s: processes and operators use the broker, and others do not',
      async (way) => {
        const login = await LOGINS[way]?.(folder);
        if (login === undefined) throw new TypeError(way);
        const server = await startNats(login.config, release);
        onTestFinished(() => server.stop());
        const url = `${login.scheme ?? 'nats'}://127.0.0.1:${server.port}`;

        const messages = connectJetStream({ url, ...login.right });
        onTestFinished(() => messages.close());
        await messages.declareQueue('orders');
        expect(await messages.send('orders', { body: { seq: 1 } })).toBe('sent');

        const brokers = jetstreamBrokers();
        onTestFinished(() => brokers.close());
        const broker = brokers.at({ url, ...partsOf(login.right) });
        expect(await broker.peek('orders')).toMatchObject({ body: { seq: 1 } });

        const error = await brokers
          .at({ url, ...partsOf(login.wrong) })
          .queue('orders')
          .catch((reason: unknown) => reason);
        expect(error).toMatchObject({
          code: 'Unavailable',
          message: expect.stringMatching(login.why) as string,
        });
        expect(inspect(error, { depth: 9 })).not.toMatch(/a-secret|SEED-----|PRIVATE KEY|\bSU[A-Z0-9]{50}/);
      },
    );
  });
});

/** As the operator has them from a Secret. */
function partsOf({ ca, cert, key, ...login }: Login): object {
  return { login, tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } };
}

test.each([
  ['a seed', { nkey: 'a-secret-seed' }, /NKEY/],
  ['a credentials file', { credentials: 'a-secret-file' }, /credentials file/],
  ['certificates without TLS', { ca: 'a-secret-authority' }, /tls:\/\//],
])('%s that cannot be is an error at once, which does not show it', (_what, login, message) => {
  const connect = (): unknown => connectJetStream({ url: 'nats://127.0.0.1:1', ...login });
  expect(connect).toThrow(message);
  expect(connect).not.toThrow(/a-secret/);
});
