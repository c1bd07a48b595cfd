import { expect, test } from 'vitest';
import { type FrontProxy, userInHeaders } from './front-proxy.ts';

const PROXY: FrontProxy = {
  authorities: [],
  allowedNames: [],
  headers: {
    username: ['x-remote-user'],
    uid: ['x-remote-uid'],
    groups: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  },
};

test('each value of a repeated header is a group, whatever it contains', () => {
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-group': ['ops, system:masters', 'system:authenticated'],
    'x-remote-extra-example.com%2fscopes': ['read', 'write'],
  };

  expect(userInHeaders(PROXY, headers)).toEqual({
    username: 'jane',
    uid: '',
    groups: ['ops, system:masters', 'system:authenticated'],
    extra: { 'example.com/scopes': ['read', 'write'] },
  });
});

test('without the name of a user there is none', () => {
  expect(userInHeaders(PROXY, { 'x-remote-group': 'system:masters' })).toBeUndefined();
});
