import type { Json, JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { at, textAt } from '../../support/at.ts';

const GROUP = 'certificates.k8s.io';
const REQUESTS = `/apis/${GROUP}/v1/certificatesigningrequests`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SIGNER = 'example.com/robot';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Of `CN=alice, O=team`, and of `CN=alice, O=system:masters`; and a certificate that its key has signed. */
const TEAM = `-----BEGIN CERTIFICATE REQUEST-----
MIHaMIGBAgEAMB8xDjAMBgNVBAMMBWFsaWNlMQ0wCwYDVQQKDAR0ZWFtMFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAEB3q5Xo6k+wnE/P06IseOOyvFraVoSkivNzAA
qUrWSEcaLm+Z7Mi2Yob8D3u+f0UsHweQ5lG/g5B2wlQLZZGaR6AAMAoGCCqGSM49
BAMCA0gAMEUCIQDSzAFuGBqV5+QlJCzd3KNRCBT1TOqhJsK/WFFgmxJfrwIgMZIn
UxBBEAeT8jRRk+YVJKvOnWD6ennK573ucLx1e8k=
-----END CERTIFICATE REQUEST-----
`;
const MASTERS = `-----BEGIN CERTIFICATE REQUEST-----
MIHkMIGLAgEAMCkxDjAMBgNVBAMMBWFsaWNlMRcwFQYDVQQKDA5zeXN0ZW06bWFz
dGVyczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAd6uV6OpPsJxPz9OiLHjjsr
xa2laEpIrzcwAKlK1khHGi5vmezItmKG/A97vn9FLB8HkOZRv4OQdsJUC2WRmkeg
ADAKBggqhkjOPQQDAgNIADBFAiAD+yqselKT6QmVQQ6udVZHRvyysRY5pJxS/I87
ipd/bQIhAIbwRzqGhTMisnq8G3itCZsgi8f/YbjdOZLpgVZrWx1o
-----END CERTIFICATE REQUEST-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUVD5XT291bbd6x6+Wt/KggP1h+VswCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFYWxpY2UwIBcNMjYxMjAxMTQwNTU1WhgPMjEyNjExMDcxNDA1
NTVaMBAxDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
B3q5Xo6k+wnE/P06IseOOyvFraVoSkivNzAAqUrWSEcaLm+Z7Mi2Yob8D3u+f0Us
HweQ5lG/g5B2wlQLZZGaR6NTMFEwHQYDVR0OBBYEFBM45Thtga2eO5D/WLUbizFC
U+8yMB8GA1UdIwQYMBaAFBM45Thtga2eO5D/WLUbizFCU+8yMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgS4k74bjoX2BjXmRt8JJ6gDUN4hFjaOju
qnBGJ8tg0IwCIQDWrBd32eCvcCrdKlRTxcpkVmO2gwqP6LHNQryZzfFvuA==
-----END CERTIFICATE-----
`;
/** With the name `Alice` in what is signed. */
const FORGED = TEAM.replace('VBAMMBWFsaWN', 'VBAMMBUFsaWN');
const SPEC = { request: base64(TEAM), signerName: SIGNER, usages: ['client auth'] };

const condition = (type: string, more: JsonObject = {}): JsonObject => ({ type, status: 'True', ...more });

/** CertificateSigningRequests: who may write what of one, and what is valid. */
export function certificateRequestsContract(server: () => TestServer): void {
  const id = `csr-${process.pid}`;
  let count = 0;
  const create = async (
    spec: JsonObject,
    more: JsonObject = {},
    user: 'admin' | 'alice' = 'admin',
  ): Promise<Answer> => {
    count += 1;
    const metadata = { name: `${id}-${count}` };
    return await call(server().transport(user), 'POST', REQUESTS, { metadata, spec, ...more });
  };
  const made = async (): Promise<string> => textAt((await create(SPEC)).body, 'metadata', 'name');
  const get = async (name: string): Promise<JsonObject> =>
    (await call(server().transport(), 'GET', `${REQUESTS}/${name}`)).body;
  const put = async (
    path: string,
    change: (object: JsonObject) => JsonObject,
    user: 'admin' | 'alice' = 'admin',
  ): Promise<Answer> => {
    const object = await get(path.split('/', 1)[0] ?? '');
    return await call(server().transport(user), 'PUT', `${REQUESTS}/${path}`, change(object));
  };
  const withConditions =
    (...conditions: readonly JsonObject[]) =>
    (object: JsonObject): JsonObject => ({
      ...object,
      status: { ...(object['status'] as JsonObject), conditions },
    });
  const withCertificate =
    (text: string) =>
    (object: JsonObject): JsonObject => ({
      ...object,
      status: { ...(object['status'] as JsonObject), certificate: base64(text) },
    });
  /** The message of an error, without the name of the object and the values of bytes. */
  const problem = ({ status, body }: Answer): readonly Json[] => [
    status,
    textAt(body, 'message')
      .replaceAll(/csr-\d+-\d+/g, 'NAME')
      .replaceAll(/"[A-Za-z0-9+/=]{40,}"/g, 'BYTES'),
  ];
  const invalid = (text: string): readonly Json[] => [
    422,
    `CertificateSigningRequest.${GROUP} "NAME" is invalid: ${text}`,
  ];

  it('a request has the user who created it, whatever it says, and nothing of a status', async () => {
    const spec = { ...SPEC, username: 'mallory', uid: '1', groups: ['lords'], extra: { scope: ['all'] } };
    const { status, body } = await create(spec, { status: { conditions: [condition('Approved')] } });
    const user = { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
    expect([status, body['spec'], body['status']]).toEqual([201, { ...SPEC, ...user }, {}]);
  });

  it('a request is read after text that only begins as one, however often', async () => {
    const [begin = ''] = TEAM.split('\n');
    const withRequest = (text: string): JsonObject => ({ ...SPEC, request: base64(text) });
    const { status } = await create(withRequest(`a text\n${begin}\nMIHa\n${TEAM}`));
    expect(status).toBe(201);
    expect((await create(withRequest(`${begin}\n`.repeat(5000)))).status).toBe(422);
  });

  it('a request is approved by its subresource alone, which changes nothing else', async () => {
    const name = await made();
    const added = invalid('status.conditions: Forbidden: updates may not add a condition of type "Approved"');
    expect(problem(await put(`${name}/status`, withConditions(condition('Approved'))))).toEqual(added);
    const plain = await put(name, (object) => ({
      ...withConditions(condition('Approved'))(object),
      spec: { ...SPEC, usages: ['any'] },
    }));
    expect([plain.status, plain.body['status'], at(plain.body, 'spec', 'usages')]).toEqual([
      200,
      {},
      ['client auth'],
    ]);
    const approved = await put(`${name}/approval`, (object) => ({
      ...withCertificate(CERTIFICATE)(withConditions(condition('Approved', { reason: 'Known' }))(object)),
      spec: { ...SPEC, usages: ['any'] },
    }));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const times = { lastUpdateTime: time, lastTransitionTime: time };
    expect([approved.status, approved.body['status'], at(approved.body, 'spec', 'usages')]).toEqual([
      200,
      { conditions: [{ type: 'Approved', status: 'True', reason: 'Known', ...times }] },
      ['client auth'],
    ]);
  });

  it('no decision is taken back', async () => {
    const name = await made();
    await put(`${name}/approval`, withConditions(condition('Approved', { reason: 'Known' })));
    const removed = invalid(
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    );
    expect(problem(await put(`${name}/approval`, withConditions(condition('Denied'))))).toEqual(removed);
    expect(problem(await put(`${name}/status`, (object) => ({ ...object, status: {} })))).toEqual(removed);
    const other = await put(`${name}/status`, withConditions(condition('Approved', { reason: 'Other' })));
    expect([other.status, at(other.body, 'status', 'conditions', 0, 'reason')]).toEqual([200, 'Known']);
  });

  it('the status takes one chain of certificates, which stays', async () => {
    const name = await made();
    const problems: readonly (readonly [certificate: string, message: string])[] = [
      ['none', 'must contain at least one CERTIFICATE PEM block'],
      [TEAM, 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'],
      [CERTIFICATE.replace('-----\n', '-----\nA: b\n\n'), 'no PEM block headers are permitted'],
      ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'x509: malformed certificate'],
    ];
    for (const [certificate, message] of problems)
      expect(problem(await put(`${name}/status`, withCertificate(certificate)))).toEqual(
        invalid(`status.certificate: Invalid value: "<certificate data>": ${message}`),
      );
    expect((await put(`${name}/status`, withCertificate(`of alice\n${CERTIFICATE}`))).status).toBe(200);
    expect(problem(await put(`${name}/status`, withCertificate(CERTIFICATE)))).toEqual(
      invalid('status.certificate: Forbidden: updates may not modify existing certificate content'),
    );
  });

  it.each<readonly [what: string, spec: JsonObject, errors: string]>([
    [
      'no request',
      { request: base64('none') },
      'spec.request: Invalid value: "bm9uZQ==": PEM block type must be CERTIFICATE REQUEST',
    ],
    [
      'a certificate as a request',
      { request: base64(CERTIFICATE) },
      'spec.request: Invalid value: BYTES: PEM block type must be CERTIFICATE REQUEST',
    ],
    [
      'a request that its key has not signed',
      { request: base64(FORGED) },
      'spec.request: Invalid value: BYTES: x509: ECDSA verification failure',
    ],
    ['no usage', { usages: [] }, 'spec.usages: Required value'],
    ['a usage twice', { usages: ['any', 'client auth', 'any'] }, 'spec.usages[2]: Duplicate value: "any"'],
    [
      'a short duration',
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    ],
    ['no signer', { signerName: '' }, 'spec.signerName: Required value'],
    [
      'a signer without a path',
      { signerName: 'robot' },
      'spec.signerName: Invalid value: "robot": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
    [
      'a signer of a domain of one label',
      { signerName: 'com/robot' },
      'spec.signerName: Invalid value: "com": should be a domain with at least two segments separated by dots',
    ],
    [
      'a signer of earlier versions',
      { signerName: 'kubernetes.io/legacy-unknown' },
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ])('%s is invalid', async (_, change, errors) => {
    expect(problem(await create({ ...SPEC, ...change }))).toEqual(invalid(errors));
  });

  it('conditions have a status, and one type each', async () => {
    const name = await made();
    const problems: readonly (readonly [conditions: readonly JsonObject[], message: string])[] = [
      [
        [condition('Approved', { status: 'False' })],
        '[0].status: Unsupported value: "False": supported values: "True"',
      ],
      [[condition('')], '[0].type: Required value'],
      [[condition('Ready', { status: '' })], '[0].status: Required value'],
      [[condition('Ready'), condition('Ready')], '[1].type: Duplicate value: "Ready"'],
      [
        [condition('Approved'), condition('Denied')],
        ': Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      ],
    ];
    for (const [conditions, message] of problems)
      expect(problem(await put(`${name}/approval`, withConditions(...conditions)))).toEqual(
        invalid(`status.conditions${message}`),
      );
  });

  it('nobody becomes a member of system:masters by a certificate for clients of the API', async () => {
    const signerName = 'kubernetes.io/kube-apiserver-client';
    expect((await create({ ...SPEC, signerName })).status).toBe(201);
    expect(problem(await create({ ...SPEC, signerName, request: base64(MASTERS) }))).toEqual([
      403,
      `certificatesigningrequests.${GROUP} "NAME" is forbidden: use of ${signerName} signer with system:masters group is not allowed`,
    ]);
  });

  it('who approves or signs needs the right to do so for the signer', async () => {
    const role = async (name: string, rule: JsonObject): Promise<void> => {
      const admin = server().transport();
      const metadata = { name: `${id}-${name}` };
      await call(admin, 'POST', `${RBAC}/clusterroles`, {
        metadata,
        rules: [{ apiGroups: [GROUP], ...rule }],
      });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
      const subjects = [{ kind: 'User', name: 'alice' }];
      await call(admin, 'POST', `${RBAC}/clusterrolebindings`, { metadata, roleRef, subjects });
    };
    const resources = ['', '/approval', '/status'].map((part) => `certificatesigningrequests${part}`);
    await role('writes', { resources, verbs: ['create', 'update'] });
    await expect.poll(async () => (await create(SPEC, {}, 'alice')).status).toBe(201);
    const name = await made();
    const forbidden = (verb: string): readonly Json[] => [
      403,
      `certificatesigningrequests.${GROUP} "NAME" is forbidden: user not permitted to ${verb} requests with signerName "${SIGNER}"`,
    ];
    const approve = (): Promise<Answer> =>
      put(`${name}/approval`, withConditions(condition('Approved')), 'alice');
    const sign = (): Promise<Answer> => put(`${name}/status`, withCertificate(CERTIFICATE), 'alice');
    expect(problem(await approve())).toEqual(forbidden('approve'));
    expect(problem(await sign())).toEqual(forbidden('sign'));
    await role('signs', {
      resources: ['signers'],
      resourceNames: ['example.com/*'],
      verbs: ['approve', 'sign'],
    });
    await expect.poll(async () => (await approve()).status).toBe(200);
    expect((await sign()).status).toBe(200);
  });

  it('what a write does not change, its manager does not own', async () => {
    const name = await made();
    const apply = async (path: string, manager: string, body: JsonObject): Promise<void> => {
      const object = {
        apiVersion: `${GROUP}/v1`,
        kind: 'CertificateSigningRequest',
        metadata: { name },
        ...body,
      };
      const query = `fieldManager=${manager}&force=true`;
      await call(server().transport(), 'PATCH', `${REQUESTS}/${path}?${query}`, object, PATCH.apply);
    };
    const status = { conditions: [condition('Approved')], certificate: base64(CERTIFICATE) };
    await apply(name, 'first', { spec: SPEC, status });
    await apply(`${name}/approval`, 'second', { spec: SPEC, status });
    await apply(`${name}/status`, 'third', { spec: SPEC, status });
    const entries = at(await get(name), 'metadata', 'managedFields') as JsonObject[];
    const applied = entries.filter(({ operation }) => operation === 'Apply');
    expect(applied.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      [
        'second',
        {
          'f:status': {
            'f:conditions': { 'k:{"type":"Approved"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
          },
        },
      ],
      ['third', { 'f:status': { 'f:certificate': {} } }],
    ]);
  });

  describe('in lists', () => {
    it('kubectl shows the signer, the requestor and what has become of each, of one signer where it is selected', async () => {
      const [own, seconds] = [`${id}.example.com/own`, 3600];
      const name = textAt(
        (await create({ ...SPEC, signerName: own, expirationSeconds: seconds })).body,
        'metadata',
        'name',
      );
      await put(`${name}/approval`, withConditions(condition('Denied')));
      const response = await server()
        .transport()
        .request({
          method: 'GET',
          path: `${REQUESTS}?fieldSelector=spec.signerName%3D${encodeURIComponent(own)}`,
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const table = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const columns = (table['columnDefinitions'] as JsonObject[]).map((column) => column['name']);
      expect(columns).toEqual(['Name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition']);
      const rows = (table['rows'] as JsonObject[]).map(({ cells }) => cells);
      expect(rows).toEqual([[name, expect.any(String), own, 'admin', '60m', 'Denied']]);
    });
  });
}
