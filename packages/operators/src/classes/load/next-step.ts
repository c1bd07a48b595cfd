type Step = {
  readonly status?: number;
  /** In what the source says. */
  readonly said?: RegExp;
  readonly step: string;
};

const PATH =
  'the path before /api/v1 belongs to OPRC_CRM_PROM_URL, as /prometheus of Mimir and Cortex, /select/0/prometheus of a cluster of VictoriaMetrics';

/** What people meet with sources of metrics, and what to do about it; the first that matches. */
const STEPS: readonly Step[] = [
  {
    said: /unavailable with Prometheus Agent/,
    step: 'an agent answers no queries: set OPRC_CRM_PROM_URL to the address that it writes to',
  },
  {
    said: /no org id|X-Scope-OrgID/i,
    step: 'it has tenants: OPRC_CRM_PROM_TENANT_FILE names a file with the one to read',
  },
  { said: /HTTP request to an HTTPS server/, step: 'OPRC_CRM_PROM_URL has to begin with https://' },
  {
    status: 401,
    step: 'OPRC_CRM_PROM_TOKEN_FILE names a file with a bearer token; for user and password, put them into OPRC_CRM_PROM_URL',
  },
  {
    status: 403,
    step: 'the account of the token may not read metrics; on OpenShift it needs the ClusterRole cluster-monitoring-view',
  },
  { status: 404, step: PATH },
  { said: /unsupported path|cannot parse accountID/i, step: PATH },
  {
    status: 422,
    step: 'it could not read all that it has, as Thanos where a store is away; nothing changes until it can',
  },
];

/** What a person can do about a response that is an error; undefined where that is not known. */
export function nextStep(status: number, said: string): string | undefined {
  if (status >= 300 && status < 400)
    return 'redirects are not followed: set OPRC_CRM_PROM_URL to where it leads';
  const found = STEPS.find((one) => one.status === status || one.said?.test(said) === true);
  return found?.step;
}

/** Codes of OpenSSL, as Node has them. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The same for a connection that failed. */
export function nextStepOfConnection(code: unknown): string | undefined {
  if (typeof code !== 'string') return undefined;
  if (UNKNOWN_AUTHORITY.has(code)) return 'OPRC_CRM_PROM_CA_FILE names a file with the CA that signed it';
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO'
    ? 'OPRC_CRM_PROM_URL has to begin with http:// where the source has no TLS'
    : undefined;
}
