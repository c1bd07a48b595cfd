import { expect, test } from 'vitest';
import {
  isFilter,
  isOverlap,
  isStreamName,
  ownSubject,
  recordOfOwn,
  recordSubject,
} from './record-subject.ts';

test('the subjects of a queue have one token for its name', () => {
  expect(recordSubject('ms2m.control.a-1')).toBe('ms2m.queue.ms2m=2econtrol=2ea-1');
  expect(ownSubject('a.>*ü b')).toBe('ms2m.own.a=2e=3e=2a=c3=bc=20b');
  expect(recordOfOwn(ownSubject('a.b'))).toBe(recordSubject('a.b'));
});

test.each([
  ['orders.>', true],
  ['orders.*.new', true],
  ['>', true],
  ['orders', true],
  ['', false],
  ['orders..new', false],
  ['orders.>.new', false],
  ['orders.new*', false],
  ['orders new', false],
])('%j is a filter: %s', (subject, isOne) => {
  expect(isFilter(subject)).toBe(isOne);
});

test.each([
  ['orders.>', 'orders.new', true],
  ['orders.>', '>', true],
  ['orders.*', 'orders.new', true],
  ['orders.*.a', 'orders.b.*', true],
  ['orders', 'orders', true],
  ['orders.>', 'orders', false],
  ['orders.*', 'orders.a.b', false],
  ['orders.a', 'orders.b', false],
  ['a.>', 'b.>', false],
])('%s and %s have subjects in common: %s', (one, other, isSo) => {
  expect(isOverlap(one, other)).toBe(isSo);
  expect(isOverlap(other, one)).toBe(isSo);
});

test.each([
  ['ORDERS', true],
  ['orders-1_a', true],
  ['', false],
  ['a.b', false],
  ['a b', false],
  ['a/b', false],
  ['>', false],
])('%j is the name of a stream: %s', (name, isOne) => {
  expect(isStreamName(name)).toBe(isOne);
});
