import { createHttp1Transport, readInput } from '@kubewright/client';
import { errorText, type Transport } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

/** Files that a source of metrics is reached with; each may be renewed at any time. */
export type SourceFiles = {
  /** A bearer token. */
  readonly tokenFile?: string | undefined;
  /** Which tenant's metrics are read, of Mimir, Cortex and others: `X-Scope-OrgID`. */
  readonly tenantFile?: string | undefined;
  /** PEM; without it the system's authorities count. */
  readonly caFile?: string | undefined;
};

type SourceAccess = {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
};

/** Far more than a token or a bundle of authorities. */
const LONGEST = 2 ** 20;

/** How a source is reached. */
export type SourceConnections = {
  /** Reads the files again at each call. Connections are kept, until the authority is another one. */
  readonly access: (signal: AbortSignal) => Promise<SourceAccess>;
  readonly close: () => Promise<void>;
};

export function sourceAccess(origin: string, files: SourceFiles): SourceConnections {
  let kept: { readonly ca: string | undefined; readonly transport: Transport } | undefined;
  const transportFor = (ca: string | undefined): Transport => {
    if (kept?.ca === ca && kept !== undefined) return kept.transport;
    const before = kept?.transport;
    kept = { ca, transport: createHttp1Transport({ url: origin, ...(ca === undefined ? {} : { ca }) }) };
    // What is under way on the old connections is read again at the next interval.
    before?.close().catch(() => undefined);
    return kept.transport;
  };
  const access: SourceConnections['access'] = async (signal) => {
    const [token, tenant, ca] = await Promise.all([
      wordIn('OPRC_CRM_PROM_TOKEN_FILE', files.tokenFile, signal),
      wordIn('OPRC_CRM_PROM_TENANT_FILE', files.tenantFile, signal),
      textIn('OPRC_CRM_PROM_CA_FILE', files.caFile, signal),
    ]);
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(tenant === undefined ? {} : { 'x-scope-orgid': tenant }),
    };
    return { transport: transportFor(ca), headers };
  };
  return { access, close: async () => kept?.transport.close() };
}

async function textIn(
  setting: string,
  path: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readInput(path, { signal, limitBytes: LONGEST, isFile: true })).toString();
  } catch (error) {
    throw new OperatorError('Failed', `${setting}: cannot read ${path}: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** What a header can have. The text is a secret, and is in no message. */
async function wordIn(
  setting: string,
  path: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = (await textIn(setting, path, signal))?.trim();
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text;
  throw new OperatorError('Failed', `${setting}: ${path} has not one word`);
}
