import { expect, test } from 'vitest';
import { at } from '../../support/at.ts';
import { PATCH } from '../../support/api.ts';
import { BINDINGS, messageOf, POLICIES, policySuite, RULE, type Server } from './policy-suite.ts';

/** What ValidatingAdmissionPolicies do to writes. */
export function admissionPoliciesContract(server: () => Server): void {
  const suite = policySuite(server, `policies-${process.pid}`);
  const { namespace, maps, call, map, bind } = suite;
  let count = 0;
  const fresh = (): string => `map-${(count += 1)}`;

  /** The status, the reason and the message of a create, in which NAME stands for the object's name. */
  async function create(fields: Parameters<typeof map>[1] = {}): Promise<readonly unknown[]> {
    const name = fresh();
    const answer = await call('POST', maps, map(name, fields));
    const { status, body } = answer;
    return status === 201 ? [201] : [status, body['reason'], messageOf(answer).replaceAll(name, 'NAME')];
  }

  const denied = (policy: string, why: string): string =>
    `configmaps "NAME" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${why}`;

  test('a write that a validation does not allow is rejected as Invalid, with the message as its cause', async () => {
    const policy = await bind({ validations: [{ expression: "object.data['team'] == 'shop'" }] });
    expect(await create({ data: { team: 'shop' } })).toEqual([201]);
    const { status, body } = await call('POST', maps, map('wrong', { data: { team: 'else' } }));
    const why = `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: failed expression: object.data['team'] == 'shop'`;
    expect([status, body]).toMatchObject([
      422,
      {
        reason: 'Invalid',
        message: `configmaps "wrong" is forbidden: ${why}`,
        details: { name: 'wrong', kind: 'configmaps', causes: [{ message: why }] },
        code: 422,
      },
    ]);
  });

  test.each([
    ['message', { message: ' no team ' }, [422, 'Invalid', 'no team']],
    ['reason', { message: 'no', reason: 'Forbidden' }, [403, 'Forbidden', 'no']],
    [
      'messageExpression',
      { message: 'no', messageExpression: "'not ' + object.metadata.name" },
      [422, 'Invalid', 'not NAME'],
    ],
    [
      'messageExpression that fails',
      { message: 'no', messageExpression: 'object.data.nothing' },
      [422, 'Invalid', 'no'],
    ],
    [
      'messageExpression of two lines',
      { message: 'no', messageExpression: "'a\\nb'" },
      [422, 'Invalid', 'no'],
    ],
  ])('what a rejection says comes from the %s', async (_, fields, [status, reason, why]) => {
    const typed = 'messageExpression' in fields && fields.messageExpression === 'object.data.nothing';
    const messageExpression = typed ? 'string(object.data.nothing)' : undefined;
    const validation = { expression: 'has(object.data)', ...fields };
    const policy = await bind({
      validations: [messageExpression === undefined ? validation : { ...validation, messageExpression }],
    });
    expect(await create()).toEqual([status, reason, denied(policy, String(why))]);
  });

  test('expressions read variables, each of which may read those before it', async () => {
    const policy = await bind({
      variables: [
        { name: 'data', expression: 'has(object.data) ? object.data : {}' },
        { name: 'size', expression: 'size(variables.data)' },
      ],
      validations: [
        { expression: 'variables.size > 1', messageExpression: "'only ' + string(variables.size)" },
      ],
    });
    expect(await create({ data: { a: '1', b: '2' } })).toEqual([201]);
    expect(await create({ data: { a: '1' } })).toEqual([422, 'Invalid', denied(policy, 'only 1')]);
  });

  test('expressions read the namespace, the request, and what its user may do', async () => {
    await bind({
      validations: [
        { expression: `namespaceObject.metadata.name == '${namespace}'` },
        { expression: "namespaceObject.metadata.labels['team'] == 'shop'" },
        { expression: "request.operation == 'CREATE' && request.resource.resource == 'configmaps'" },
        {
          expression: "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
        },
        { expression: 'oldObject == null' },
      ],
    });
    expect(await create()).toEqual([201]);
  });

  test('a validation that cannot be evaluated rejects the write, unless failurePolicy is Ignore', async () => {
    const validations = [{ expression: "object.data['team'] == 'shop'" }];
    const policy = await bind({ validations });
    const why = "expression 'object.data['team'] == 'shop'' resulted in error: no such key: data";
    expect(await create()).toEqual([422, 'Invalid', denied(policy, why)]);
    await call('PATCH', `${POLICIES}/${policy}`, { spec: { failurePolicy: 'Ignore' } }, PATCH.merge);
    await expect.poll(() => create(), { timeout: 60_000, interval: 200 }).toEqual([201]);
  });

  test('a variable that cannot be evaluated is named where it is read', async () => {
    const policy = await bind({
      variables: [{ name: 'team', expression: 'object.data.team' }],
      validations: [{ expression: "variables.team == 'shop'" }],
    });
    const why =
      "expression 'variables.team == 'shop'' resulted in error: " +
      'composited variable "team" fails to evaluate: no such key: data';
    expect(await create()).toEqual([422, 'Invalid', denied(policy, why)]);
  });

  test('with the action Warn the write is admitted, and its client warned', async () => {
    const spec = { validations: [{ expression: 'has(object.data)', message: 'no data' }] };
    const policy = await bind(spec, { validationActions: ['Warn', 'Audit'] });
    const { status, warnings } = await call('POST', maps, map(fresh()));
    expect([status, warnings]).toEqual([
      201,
      [
        `299 - "Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}': no data"`,
      ],
    ]);
  });

  test('updates and deletions are asked about, with what was there before', async () => {
    const policy = await bind({
      validations: [
        {
          expression: "request.operation != 'UPDATE' || object.data.size == oldObject.data.size",
          message: 'grew',
        },
        { expression: "request.operation != 'DELETE' || oldObject.data.keep == 'no'", message: 'kept' },
      ],
    });
    await call('POST', maps, map('old', { data: { size: '1', keep: 'yes' } }));
    const patch = (data: Record<string, string>): ReturnType<typeof call> =>
      call('PATCH', `${maps}/old`, { data }, PATCH.merge);
    const messages = [
      messageOf(await patch({ size: '2' })),
      messageOf(await call('DELETE', `${maps}/old`)),
    ].map((message) => message.replace('"old"', '"NAME"'));
    expect(messages).toEqual([denied(policy, 'grew'), denied(policy, 'kept')]);
    await patch({ keep: 'no' });
    expect((await call('DELETE', `${maps}/old`)).status).toBe(200);
  });

  test('a matchCondition that is false leaves a write to others', async () => {
    const policy = await bind({
      matchConditions: [{ name: 'no-system', expression: "!object.metadata.name.startsWith('system-')" }],
      validations: [{ expression: 'has(object.data)', message: 'no data' }],
    });
    expect((await call('POST', maps, map('system-a'))).status).toBe(201);
    expect(await create()).toEqual([422, 'Invalid', denied(policy, 'no data')]);
  });

  test('rules exclude others, and can name objects', async () => {
    const probes = Array.from({ length: 40 }, (_, index) => `probe-${index}`);
    const policy = await bind({
      matchConstraints: {
        resourceRules: [{ ...RULE, resourceNames: ['a', 'b', ...probes] }],
        excludeResourceRules: [{ ...RULE, resourceNames: ['b'] }],
      },
      validations: [{ expression: 'has(object.data)', message: 'no data' }],
    });
    const statuses = ['a', 'b', 'c'].map(async (name) => (await call('POST', maps, map(name))).status);
    expect(await Promise.all(statuses)).toEqual([422, 201, 201]);
    expect(policy).toContain(namespace);
  });

  test('a binding narrows its policy, by labels', async () => {
    const policy = await bind(
      { validations: [{ expression: 'has(object.data)', message: 'no data' }] },
      { matchResources: { objectSelector: { matchExpressions: [{ key: 'probe', operator: 'Exists' }] } } },
    );
    expect(await create()).toEqual([201]);
    expect(await create({ metadata: { labels: { probe: 'x' } } })).toEqual([
      422,
      'Invalid',
      denied(policy, 'no data'),
    ]);
  });

  test('a policy is asked about writes through other versions, and sees the version of its rules', async () => {
    const policy = await bind({
      matchConstraints: {
        resourceRules: [
          RULE,
          {
            operations: ['CREATE'],
            apiGroups: ['autoscaling'],
            apiVersions: ['v1'],
            resources: ['horizontalpodautoscalers'],
          },
        ],
      },
      validations: [
        {
          expression:
            "request.resource.resource != 'horizontalpodautoscalers' || !has(object.spec.targetCPUUtilizationPercentage)",
        },
      ],
    });
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
      },
    };
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
    const answer = await call('POST', path, autoscaler);
    expect([answer.status, at(answer.body, 'details', 'kind')]).toEqual([422, 'horizontalpodautoscalers']);
    expect(messageOf(answer)).toContain(policy);
  });

  test('a policy does not decide about policies and bindings', async () => {
    await bind({
      matchConstraints: {
        namespaceSelector: {},
        resourceRules: [
          RULE,
          {
            operations: ['CREATE'],
            apiGroups: ['admissionregistration.k8s.io'],
            apiVersions: ['*'],
            resources: ['*'],
          },
        ],
      },
      matchConditions: [
        {
          name: 'ours',
          expression: `request.namespace == '${namespace}' || object.metadata.name.startsWith('${namespace}')`,
        },
      ],
      validations: [{ expression: `request.namespace == '${namespace}'`, message: 'never' }],
    });
    const binding = {
      metadata: { name: `${namespace}-none` },
      spec: { policyName: 'none', validationActions: ['Deny'] },
    };
    expect((await call('POST', BINDINGS, binding)).status).toBe(201);
    expect((await call('DELETE', `${BINDINGS}/${namespace}-none`)).status).toBe(200);
  });
}
