import type { JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { BINDINGS, messageOf, POLICIES, policySuite, RULE, type Server } from './policy-suite.ts';

/** The parameters of ValidatingAdmissionPolicies. */
export function policyParamsContract(server: () => Server): void {
  const { namespace, maps, call, map, bind } = policySuite(server, `policy-params-${process.pid}`);
  const paramKind = { apiVersion: 'v1', kind: 'Secret' };
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  let count = 0;

  async function secret(name: string, most: string): Promise<void> {
    const made = { metadata: { name, labels: { role: 'limit' }, annotations: { most } } };
    expect((await call('POST', secrets, made)).status).toBe(201);
  }

  async function message(fields: Parameters<typeof map>[1]): Promise<unknown> {
    const name = `map-${(count += 1)}`;
    const answer = await call('POST', maps, map(name, fields));
    return answer.status === 201 ? 201 : messageOf(answer).split(' denied request: ')[1];
  }

  const validations = [
    {
      expression: 'params == null || size(object.data) <= int(params.metadata.annotations.most)',
      messageExpression: "'more than ' + params.metadata.annotations.most",
    },
  ];

  test('a binding names its parameter, which may change', async () => {
    await secret('one', '1');
    const paramRef = { name: 'one', namespace, parameterNotFoundAction: 'Deny' };
    await bind({ paramKind, validations }, { paramRef });
    expect(await message({ data: { a: '' } })).toBe(201);
    expect(await message({ data: { a: '', b: '' } })).toBe('more than 1');
    await call('DELETE', `${secrets}/one`);
    await secret('one', '2');
    await expect
      .poll(() => message({ data: { a: '', b: '' } }), { timeout: 60_000, interval: 200 })
      .toBe(201);
  });

  test('where a binding selects several parameters, the policy is asked with each', async () => {
    await secret('two', '2');
    await secret('three', '3');
    await bind(
      { paramKind, validations },
      {
        paramRef: {
          selector: { matchExpressions: [{ key: 'role', operator: 'In', values: ['limit'] }] },
          parameterNotFoundAction: 'Deny',
        },
      },
    );
    expect(await message({ data: { a: '', b: '' } })).toBe(201);
    expect(await message({ data: { a: '', b: '', c: '' } })).toBe('more than 2');
  });

  test('without a parameter a write is rejected, or nothing is asked, as the binding says', async () => {
    const missing = (parameterNotFoundAction: string): object => ({
      paramRef: { name: 'missing', parameterNotFoundAction },
    });
    await bind({ paramKind, validations: [] }, missing('Deny') as never);
    expect(await message({})).toBe(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  });

  test('a kind of parameters that is not served rejects the writes that the policy is about', async () => {
    await bind({ paramKind: { apiVersion: 'none.example.com/v1', kind: 'None' } });
    expect(await message({})).toBe(
      "failed to configure policy: failed to find resource referenced by paramKind: 'none.example.com/v1, Kind=None'",
    );
  });

  test('who writes a policy or a binding has to be allowed to read its parameters', async () => {
    const user = 'system:serviceaccount:default:default';
    const rights = `${namespace}-policies`;
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: rights };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await call('POST', `${rbac}/clusterroles`, { metadata: { name: rights }, rules });
    await call('POST', `${rbac}/clusterrolebindings`, { metadata: { name: rights }, roleRef, subjects });
    const spec = {
      paramKind,
      matchConstraints: { resourceRules: [RULE] },
      validations: [{ expression: 'params == null' }],
    };
    const as = async (path: string, body: JsonObject): Promise<unknown> => {
      const response = await server()
        .transport()
        .request({
          method: 'POST',
          path: `${path}?dryRun=All`,
          headers: { 'content-type': 'application/json', 'impersonate-user': user },
          body: JSON.stringify({ metadata: { name: rights }, ...body }),
        });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const answer = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      return [response.status, messageOf({ body: answer }).replaceAll(rights, 'NAME')];
    };
    await expect
      .poll(() => as(POLICIES, { spec: { ...spec, paramKind: undefined } as never }), { timeout: 60_000 })
      .toEqual([422, expect.stringContaining('params')]);
    const who = `user &{${user}  [system:serviceaccounts system:serviceaccounts:default system:authenticated] map[]}`;
    const refused =
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io "NAME" is invalid: spec.paramKind: Forbidden: ';
    expect(await as(POLICIES, { spec })).toEqual([
      422,
      `${refused}${who} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
    ]);
    const paramRef = { name: 'one', namespace, parameterNotFoundAction: 'Deny' };
    expect(
      await as(BINDINGS, { spec: { policyName: 'none', validationActions: ['Deny'], paramRef } }),
    ).toEqual([
      422,
      'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "NAME" is invalid: spec.paramRef: Forbidden: ' +
        `unable to get policy none to determine minimum required permissions and ${who} does not have "get" permission for all groups, versions and resources`,
    ]);
    for (const resource of ['clusterrolebindings', 'clusterroles'])
      await call('DELETE', `${rbac}/${resource}/${rights}`);
  });
}
