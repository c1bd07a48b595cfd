import { expect, test } from 'vitest';
import { shownAs } from './shown-as.ts';
import { shownDiff } from './shown-diff.ts';

test('a struct has all its fields, by their names in Go, in their order there', () => {
  expect(shownAs('core.Taint', { effect: 'NoExecute', key: 'a' })).toBe(
    '{"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}',
  );
  expect(shownAs('core.ServicePort', { port: 80 })).toBe(
    '{"Name":"","Protocol":"","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  );
});

test('types of apimachinery keep their JSON names and leave zero values out; maps are sorted', () => {
  const labels = JSON.parse('{"b":"1","9":"2","10":"3","__proto__":"4"}') as Record<string, string>;
  expect(shownAs('meta.LabelSelector', { matchExpressions: [], matchLabels: labels })).toBe(
    '{"matchLabels":{"10":"3","9":"2","__proto__":"4","b":"1"}}',
  );
});

test('nothing is null where Go has a pointer, and a zero struct where it has none', () => {
  expect(shownAs('?rbac.RoleRef', null)).toBe('null');
  expect(shownAs('rbac.RoleRef', null)).toBe('{"APIGroup":"","Kind":"","Name":""}');
  expect(shownAs('*rbac.RoleRef', null)).toBe('null');
});

test('the metadata of a template stands among its fields, what a pod shares with its node in its security context', () => {
  const shown = shownAs('core.PodTemplateSpec', {
    metadata: { labels: { a: 'b' } },
    spec: { hostNetwork: true },
  });
  expect(shown).toMatch(/^\{"labels":\{"a":"b"\},"Spec":\{"Volumes":null,/);
  expect(shown).toContain('"SecurityContext":{"HostNetwork":true,"HostPID":false,');
});

test('what means something in HTML is escaped, and numbers keep all their digits', () => {
  expect(shownAs('core.HTTPHeader', { name: '<a&b>\u2028' })).toBe(
    '{"Name":"\\u003ca\\u0026b\\u003e\\u2028","Value":""}',
  );
  expect(shownAs('i', 9007199254740993n)).toBe('9007199254740993');
});

test('two values differ by lines, three around each change', () => {
  const before = { user: 'u', role: 'r', type: 't', level: 'l' };
  expect(shownDiff('core.SELinuxOptions', before, { ...before, level: '"{m},' })).toBe(
    '@@ -2,5 +2,5 @@\n  "User": "u",\n  "Role": "r",\n  "Type": "t",\n- "Level": "l"\n+ "Level": "\\"{m},"\n }\n',
  );
  expect(shownDiff('core.SELinuxOptions', before, before)).toBe('');
});

test('values that are too large to be compared are not', () => {
  const tolerations = Array.from({ length: 2000 }, (_, index) => ({ key: `k${index}` }));
  expect(shownDiff('core.PodSpec', { tolerations }, {})).toBe('');
});
