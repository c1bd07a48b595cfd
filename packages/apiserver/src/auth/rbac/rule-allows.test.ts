import { expect, test } from 'vitest';
import { policyRule } from './policy-rule.ts';
import { ruleAllows } from './rule-allows.ts';

const PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const place = { group: '', namespace: 'n', resource: 'pods', subresource: '', name: 'a' };
const GET_POD = { verb: 'get', path: '', resource: place };
const GET_LOG = { ...GET_POD, resource: { ...place, subresource: 'log' } };
const path = (url: string, verb = 'get') => ({ verb, path: url });
const urls = (...nonResourceURLs: string[]) => ({ verbs: ['get'], nonResourceURLs });

test.each([
  ['the same verb, group and resource', PODS, GET_POD, true],
  ['another verb', { ...PODS, verbs: ['list'] }, GET_POD, false],
  ['every verb', { ...PODS, verbs: ['*'] }, GET_POD, true],
  ['another group', { ...PODS, apiGroups: ['apps'] }, GET_POD, false],
  ['every group', { ...PODS, apiGroups: ['*'] }, GET_POD, true],
  ['no group at all', { ...PODS, apiGroups: [] }, GET_POD, false],
  ['a subresource of a resource', PODS, GET_LOG, false],
  ['a subresource by its name', { ...PODS, resources: ['pods/log'] }, GET_LOG, true],
  ['a subresource of every resource', { ...PODS, resources: ['*/log'] }, GET_LOG, true],
  ['another subresource of every resource', { ...PODS, resources: ['*/status'] }, GET_LOG, false],
  [
    'every subresource of one resource, which is no pattern',
    { ...PODS, resources: ['pods/*'] },
    GET_LOG,
    false,
  ],
  ['every resource, subresources too', { ...PODS, resources: ['*'] }, GET_LOG, true],
  ['one object', { ...PODS, resourceNames: ['a'] }, GET_POD, true],
  ['another object', { ...PODS, resourceNames: ['b'] }, GET_POD, false],
  ['objects have no pattern', { ...PODS, resourceNames: ['*'] }, GET_POD, false],
  ['a path', urls('/metrics'), path('/metrics'), true],
  ['a path below', urls('/metrics'), path('/metrics/slis'), false],
  ['paths with a prefix', urls('/metrics/*'), path('/metrics/slis'), true],
  ['the prefix without its slash', urls('/metrics/*'), path('/metrics'), false],
  ['every path', urls('*'), path('/x'), true],
  ['another verb on a path', urls('*'), path('/x', 'post'), false],
  ['a path by a rule for resources', PODS, path('/pods'), false],
])('%s', (_, rule, access, allowed) => {
  expect(ruleAllows(policyRule(rule), access)).toBe(allowed);
});
