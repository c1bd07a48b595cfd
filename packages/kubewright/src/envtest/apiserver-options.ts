import type { ApiServerOptions, Authorizer, KeyPair, TokenUser } from '@kubewright/apiserver';
import { defined } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';
import type { GivenFlags } from './read-go-flags.ts';

/** Reads a file as text; rejects where it cannot. */
export type ReadText = (path: string) => Promise<string>;

/** What the flags of kube-apiserver mean for the embedded API. */
export type ServerSetup = {
  readonly server: ApiServerOptions;
  readonly listen: { readonly port: number; readonly host: string; readonly certificate?: KeyPair };
  readonly auditLog: string | undefined;
  /** Where a certificate is to be written: the flags name the folder, and it has none. */
  readonly certificateFolder: string | undefined;
};

/** Reads the files that the flags name. Rejects with `Usage` or `File` where the server cannot start so. */
export async function apiserverOptions(flags: GivenFlags, read: ReadText): Promise<ServerSetup> {
  const [clientCa, users] = await Promise.all(
    ['client-ca-file', 'token-auth-file'].map((name) => fileOf(flags, name, read)),
  );
  const certificate = await certificateOf(flags, read);
  return {
    server: {
      ...(clientCa !== undefined && { clientCa: { cert: clientCa } }),
      ...(users !== undefined && { users: tokenUsers(users) }),
      ...defined({ authorize: authorizerOf(flags.all('authorization-mode')) }),
      serviceAccounts: await serviceAccountsOf(flags, read),
      services: servicesOf(flags),
    },
    listen: {
      port: portOf(flags.last('secure-port') ?? '6443'),
      host: flags.last('bind-address') ?? '127.0.0.1',
      ...defined({ certificate }),
    },
    auditLog: flags.last('audit-log-path'),
    certificateFolder: certificate === undefined ? flags.last('cert-dir') : undefined,
  };
}

async function fileOf(flags: GivenFlags, name: string, read: ReadText): Promise<string | undefined> {
  const path = flags.last(name);
  return path === undefined ? undefined : await read(path);
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new KubewrightError('Usage', `--secure-port ${text} is no port: choose one up to 65535`);
  return Number(text);
}

/** Of two networks, one for each family, that of IPv4. */
function servicesOf(flags: GivenFlags): NonNullable<ApiServerOptions['services']> {
  const networks = flags.all('service-cluster-ip-range');
  const addresses = networks.find((network) => network.includes('.')) ?? networks[0] ?? '10.0.0.0/24';
  return { addresses, ...defined({ nodePorts: flags.last('service-node-port-range') }) };
}

async function serviceAccountsOf(
  flags: GivenFlags,
  read: ReadText,
): Promise<NonNullable<ApiServerOptions['serviceAccounts']>> {
  const [issuer] = flags.all('service-account-issuer');
  const audiences = flags.all('api-audiences');
  const key = await fileOf(flags, 'service-account-signing-key-file', read);
  return {
    admission: !flags.all('disable-admission-plugins').includes('ServiceAccount'),
    ...defined({ issuer, key }),
    ...(audiences.length > 0 && { audiences }),
  };
}

/** Of `--tls-cert-file`, else what lies in `--cert-dir`; undefined where neither is there: a new one is made. */
async function certificateOf(flags: GivenFlags, read: ReadText): Promise<KeyPair | undefined> {
  const [cert, key, folder] = ['tls-cert-file', 'tls-private-key-file', 'cert-dir'].map((name) =>
    flags.last(name),
  );
  if (cert !== undefined && key !== undefined) return { cert: await read(cert), key: await read(key) };
  if (cert !== undefined || key !== undefined)
    throw new KubewrightError('Usage', '--tls-cert-file and --tls-private-key-file go together');
  if (folder === undefined) return undefined;
  try {
    return { cert: await read(`${folder}/apiserver.crt`), key: await read(`${folder}/apiserver.key`) };
  } catch {
    return undefined;
  }
}

/** Undefined: by RBAC. */
function authorizerOf(modes: readonly string[]): Authorizer | undefined {
  const unknown = modes.find((mode) => !['RBAC', 'Node', 'AlwaysAllow', 'AlwaysDeny'].includes(mode));
  if (unknown !== undefined)
    throw new KubewrightError(
      'Usage',
      `--authorization-mode ${unknown} is not supported: choose RBAC or AlwaysAllow`,
    );
  if (modes.includes('RBAC') || modes.includes('Node')) return undefined;
  const allowed = !modes.includes('AlwaysDeny');
  return () => ({ allowed, reason: '' });
}

/** Lines of `token,user,uid,"group1,group2"`. */
function tokenUsers(csv: string): readonly TokenUser[] {
  return csv.split('\n').flatMap((line) => {
    const [token, username, uid, groups = ''] = [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => (quoted ?? plain ?? '').trim(),
    );
    if (token === undefined || username === undefined || token === '' || username === '') return [];
    const names = groups === '' ? [] : groups.split(',').map((group) => group.trim());
    return [
      { token, user: { username, groups: names, ...(uid === undefined || uid === '' ? {} : { uid }) } },
    ];
  });
}
