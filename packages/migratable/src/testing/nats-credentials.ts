import { nkeys } from '@nats-io/transport-node';

type Pair = ReturnType<typeof nkeys.createUser>;
type Claims = { readonly type: 'operator' | 'account' | 'user' } & Readonly<Record<string, unknown>>;

/** What an operator of NATS gives out: the configuration of a server, and the credentials file of one user. */
export type Credentials = { readonly config: string; readonly credentials: string };

const UNLIMITED = { subs: -1, data: -1, payload: -1 };
const ACCOUNT = {
  ...UNLIMITED,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/** Without them an account has no JetStream. */
const NO_STORAGE = { mem_storage: 0, disk_storage: 0, streams: 0, consumer: 0 };

/** As `nsc` makes them: an operator that trusts itself, one account with JetStream, and one user. */
export function makeCredentials(): Credentials {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const system = nkeys.createAccount();
  const ofOperator = jwt(operator, operator, { type: 'operator' });
  const ofAccount = jwt(operator, account, { type: 'account', limits: ACCOUNT });
  const ofUser = jwt(account, user, { type: 'user', pub: {}, sub: {}, ...UNLIMITED });
  return {
    config: `operator: ${ofOperator}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: ${ofAccount}
  ${system.getPublicKey()}: ${jwt(operator, system, { type: 'account', limits: { ...ACCOUNT, ...NO_STORAGE } })}
}`,
    credentials: `-----BEGIN NATS USER JWT-----
${ofUser}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`,
  };
}

/** An NKEY of a user: the server knows its public half. */
export function makeNkey(): { readonly user: string; readonly seed: string } {
  const pair = nkeys.createUser();
  return { user: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() };
}

function jwt(issuer: Pair, subject: Pair, claims: Claims): string {
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const sub = subject.getPublicKey();
  const common = {
    jti: sub,
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub,
  };
  const signed = [
    encode({ typ: 'JWT', alg: 'ed25519-nkey' }),
    encode({ ...common, nats: { ...claims, version: 2 } }),
  ].join('.');
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}
