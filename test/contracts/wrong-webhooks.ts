import type { JsonObject } from '@kubewright/kube';

/** What makes a webhook invalid, and what kube-apiserver says of it. */
export const WRONG_WEBHOOKS: readonly (readonly [title: string, fields: JsonObject, message: string])[] = [
  [
    'a name without domain',
    { name: 'a' },
    'webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots',
  ],
  ['no name', { name: '' }, 'webhooks[0].name: Required value'],
  [
    'side effects',
    { sideEffects: 'Some' },
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
  ],
  [
    'no word about side effects',
    { sideEffects: null },
    'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
  ],
  [
    'a long timeout',
    { timeoutSeconds: 31 },
    'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
  ],
  [
    'policies',
    { failurePolicy: 'x', matchPolicy: 'y' },
    '[webhooks[0].failurePolicy: Unsupported value: "x": supported values: "Fail", "Ignore", webhooks[0].matchPolicy: Unsupported value: "y": supported values: "Equivalent", "Exact"]',
  ],
  [
    'a selector',
    {
      objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
      namespaceSelector: { matchLabels: { a: '-' } },
    },
    "[webhooks[0].namespaceSelector.matchLabels: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), webhooks[0].objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn']",
  ],
  [
    'no client',
    { clientConfig: {} },
    'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
  ],
  [
    'plain HTTP',
    { clientConfig: { url: 'http://u:p@h/?q#f' } },
    '[webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path], webhooks[0].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL, webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL, webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL]',
  ],
  [
    'no host',
    { clientConfig: { url: 'https:///x' } },
    'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
  ],
  [
    'a service path',
    { clientConfig: { service: { namespace: '', name: 'b', path: 'a//B/', port: 0 } } },
    "[webhooks[0].clientConfig.service.name: Required value, webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive, webhooks[0].clientConfig.service.path: Invalid value: \"a//B/\": must start with a '/', webhooks[0].clientConfig.service.path: Invalid value: \"a//B/\": segment[0] may not be empty, webhooks[0].clientConfig.service.path: Invalid value: \"a//B/\": segment[1] may not be empty, webhooks[0].clientConfig.service.path: Invalid value: \"a//B/\": segment[2]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
  ],
  [
    'review versions',
    { admissionReviewVersions: ['v2', 'v2', '-'] },
    '[webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version, webhooks[0].admissionReviewVersions[2]: Invalid value: "-": a DNS-1035 label must consist of lower case alphanumeric characters or \'-\', start with an alphabetic character, and end with an alphanumeric character (e.g. \'my-name\',  or \'abc-123\', regex used for validation is \'[a-z]([-a-z0-9]*[a-z0-9])?\'), webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2","-"]: must include at least one of v1, v1beta1]',
  ],
  [
    'no review versions',
    { admissionReviewVersions: [] },
    'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
  ],
  [
    'empty rules',
    { rules: [{ operations: [], apiGroups: [], apiVersions: [], resources: [] }] },
    '[webhooks[0].rules[0].operations: Required value, webhooks[0].rules[0].apiGroups: Required value, webhooks[0].rules[0].apiVersions: Required value, webhooks[0].rules[0].resources: Required value]',
  ],
  [
    'rules with all and some',
    {
      rules: [
        {
          operations: ['*', 'CREATE', 'x'],
          apiGroups: ['*', 'a'],
          apiVersions: ['*', ''],
          resources: ['*/*', 'a/*', 'a/b', '*', 'pods', ''],
          scope: 'x',
        },
      ],
    },
    '[webhooks[0].rules[0].operations: Invalid value: ["*","CREATE","x"]: if \'*\' is present, must not specify other operations, webhooks[0].rules[0].operations[2]: Unsupported value: "x": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE", webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other API groups, webhooks[0].rules[0].apiVersions: Invalid value: ["*",""]: if \'*\' is present, must not specify other API versions, webhooks[0].rules[0].apiVersions[1]: Required value, webhooks[0].rules[0].resources[1]: Invalid value: "a/*": if \'*/*\' is present, must not specify a/*, webhooks[0].rules[0].resources[2]: Invalid value: "a/b": if \'a/*\' is present, must not specify a/b, webhooks[0].rules[0].resources[5]: Required value, webhooks[0].rules[0].resources: Invalid value: ["*/*","a/*","a/b","*","pods",""]: if \'*/*\' is present, must not specify other resources, webhooks[0].rules[0].resources: Invalid value: ["*/*","a/*","a/b","*","pods",""]: if \'*\' is present, must not specify other resources without subresources, webhooks[0].rules[0].scope: Unsupported value: "x": supported values: "*", "Cluster", "Namespaced"]',
  ],
  [
    'conditions',
    {
      matchConditions: [
        { name: '', expression: '' },
        { name: 'a', expression: '1' },
        { name: 'a', expression: 'nope == 1' },
      ],
    },
    '[webhooks[0].matchConditions[0].expression: Required value, webhooks[0].matchConditions[0].name: Required value, webhooks[0].matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int, webhooks[0].matchConditions[2].expression: Invalid value: "nope == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to \'nope\' (in container \'\')\n | nope == 1\n | ^, webhooks[0].matchConditions[2].name: Duplicate value: "a"]',
  ],
];
