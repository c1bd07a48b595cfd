import type { JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { BINDINGS, POLICIES, policySuite, RULE, type Server } from './policy-suite.ts';

type Case = readonly [title: string, spec: JsonObject, ...messages: readonly string[]];

const CONSTRAINTS = { resourceRules: [RULE] };
const VALIDATIONS = [{ expression: 'true' }];

const WRONG_POLICIES: readonly Case[] = [
  ['no constraints', { validations: VALIDATIONS }, 'spec.matchConstraints: Required value'],
  [
    'no rules',
    { matchConstraints: {}, validations: VALIDATIONS },
    'spec.matchConstraints.resourceRules: Required value',
  ],
  [
    'nothing to say',
    { matchConstraints: CONSTRAINTS },
    'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
  ],
  [
    'an empty expression',
    { validations: [{ expression: ' ' }] },
    'spec.validations[0].expression: Required value: expression is not specified',
  ],
  [
    'an expression of another type',
    { validations: [{ expression: '1 + 1' }] },
    'spec.validations[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
  ],
  [
    'a message of another type',
    { validations: [{ expression: 'true', messageExpression: 'true' }] },
    'spec.validations[0].messageExpression: Invalid value: "true": must evaluate to string but got bool',
  ],
  [
    'a message of two lines',
    { validations: [{ expression: 'true', message: 'a\nb' }] },
    'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
  ],
  [
    'another reason',
    { validations: [{ expression: 'true', reason: 'Gone' }] },
    'spec.validations[0].reason: Unsupported value: "Gone": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
  ],
  [
    'a variable that is a keyword',
    { variables: [{ name: 'for', expression: '1' }], validations: VALIDATIONS },
    'spec.variables[0].name: Invalid value: "for": must be a valid CEL identifier',
  ],
  [
    'a variable without an expression',
    { variables: [{ name: 'a', expression: '' }], validations: VALIDATIONS },
    'spec.variables[0].expression: Required value: expression is not specified',
  ],
  [
    'a value of another type',
    { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
  ],
  [
    'a kind of parameters without a version',
    { paramKind: { apiVersion: 'a.example.com/', kind: 'a_b' }, validations: VALIDATIONS },
    'spec.paramKind.apiVersion: Invalid value: "a.example.com/": version must be specified',
    "spec.paramKind.kind: Invalid value: \"a_b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    'rules that name objects twice',
    {
      matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['a', 'a', 'b/c'] }] },
      validations: VALIDATIONS,
    },
    'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
    'spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain \'/\'',
  ],
];

const WRONG_BINDINGS: readonly Case[] = [
  ['no policy', { validationActions: ['Deny'] }, 'spec.policyName: Required value'],
  [
    'no action',
    { policyName: 'a' },
    'spec.validationActions: Required value: at least one validation action is required',
  ],
  [
    'two actions of which one is enough',
    { policyName: 'a', validationActions: ['Deny', 'Warn'] },
    'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
  ],
  [
    'a parameter that is nowhere',
    { policyName: 'a', validationActions: ['Deny'], paramRef: { parameterNotFoundAction: 'Deny' } },
    'spec.paramRef: Required value: one of name or selector must be specified',
  ],
  [
    'a parameter that is named and selected',
    { policyName: 'a', validationActions: ['Deny'], paramRef: { name: 'a', selector: {} } },
    'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
    'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    'spec.paramRef.parameterNotFoundAction: Required value',
  ],
];

function named([title, spec, ...messages]: Case): {
  readonly title: string;
  readonly spec: JsonObject;
  readonly messages: readonly string[];
} {
  return { title, spec, messages };
}

/** Policies and bindings as objects. */
export function wrongPoliciesContract(server: () => Server): void {
  const { namespace, call } = policySuite(server, `wrong-policies-${process.pid}`);

  /** What is wrong, as the server says. */
  async function causes(path: string, spec: JsonObject): Promise<readonly string[]> {
    const { body } = await call('POST', `${path}?dryRun=All`, { metadata: { name: `${namespace}-a` }, spec });
    const found =
      (body['details'] as { causes?: { field: string; message: string }[] } | undefined)?.causes ?? [];
    return found.map(({ field, message }) => `${field}: ${message}`);
  }

  test.each(WRONG_POLICIES.map(named))('a policy with $title is refused', async ({ spec, messages }) => {
    const isWhole = 'matchConstraints' in spec || messages[0]?.includes('matchConstraints') === true;
    expect(await causes(POLICIES, isWhole ? spec : { matchConstraints: CONSTRAINTS, ...spec })).toEqual(
      messages,
    );
  });

  test.each([
    ['reads what is not declared', "params.a == 'b'", "undeclared reference to 'params'"],
    ['reads a variable that there is not', 'variables.a == 1', "undeclared reference to 'variables'"],
    ['reads a field that a request does not have', 'request.nothing == 1', "undefined field 'nothing'"],
    ['is no CEL', 'a ==', 'Syntax error'],
  ])('a policy whose expression %s is refused', async (_, expression, expected) => {
    const spec = { matchConstraints: CONSTRAINTS, validations: [{ expression }] };
    const [message, ...others] = await causes(POLICIES, spec);
    expect(message).toContain('spec.validations[0].expression: Invalid value: ');
    expect(message).toContain(expected);
    expect(others).toEqual([]);
  });

  test.each(WRONG_BINDINGS.map(named))('a binding with $title is refused', async ({ spec, messages }) => {
    expect(await causes(BINDINGS, spec)).toEqual(messages);
  });

  test('policies and bindings have defaults, count their changes, and are shown in tables', async () => {
    const name = `${namespace}-shown`;
    const policy = await call('POST', POLICIES, {
      metadata: { name },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: CONSTRAINTS,
        validations: VALIDATIONS,
      },
    });
    const binding = await call('POST', BINDINGS, {
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ['Audit'],
        paramRef: { name: 'a', parameterNotFoundAction: 'Allow' },
      },
    });
    const defaults = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
    expect(policy.body['spec']).toEqual({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      failurePolicy: 'Fail',
      matchConstraints: { ...defaults, resourceRules: [{ ...RULE, scope: '*' }] },
      validations: VALIDATIONS,
    });
    expect([policy, binding].map(({ body }) => (body['metadata'] as JsonObject)['generation'])).toEqual([
      1, 1,
    ]);
    const table = async (path: string): Promise<unknown> => {
      const response = await server()
        .transport()
        .request({
          method: 'GET',
          path: `${path}/${name}`,
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        columnDefinitions: { name: string }[];
        rows: { cells: unknown[] }[];
      };
      return body.columnDefinitions
        .map((column, index) => [column.name, body.rows[0]?.cells[index]])
        .slice(0, -1);
    };
    expect([await table(POLICIES), await table(BINDINGS)]).toEqual([
      [
        ['Name', name],
        ['Validations', 1],
        ['ParamKind', 'v1/ConfigMap'],
      ],
      [
        ['Name', name],
        ['PolicyName', name],
        ['ParamRef', '*/a'],
      ],
    ]);
    for (const path of [BINDINGS, POLICIES]) await call('DELETE', `${path}/${name}`);
  });
}
