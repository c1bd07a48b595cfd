import { expect, test } from 'vitest';
import { differenceIn } from './read-declaration.ts';

const BEFORE =
  "the broker: PRECONDITION_FAILED - inequivalent arg 'x-expires' for queue 'it''s' in vhost '/': ";

test.each([
  ["received none but current is the value '1000' of type 'signedint'", 1000],
  ["received none but current is the value 'true' of type 'bool'", true],
  ["received none but current is the value '3' of type 'longstr'", '3'],
  ["received the value 'unknown' of type 'longstr' but current is none", undefined],
  ["received 'unknown' but current is '-1'", -1],
  ["received 'unknown' but current is '99999999999999999999'", '99999999999999999999'],
])('what RabbitMQ says of an argument that differs is read: %s', (text, value) => {
  expect(differenceIn(`${BEFORE}${text}`)).toEqual({
    argument: 'x-expires',
    ...(value !== undefined && { value }),
  });
});

test.each([
  '',
  "ACCESS_REFUSED - configure access to queue 'orders' in vhost '/' refused for user 'guest'",
  `${BEFORE}received none but current is the val...`,
  "invalid arg 'x-max-priority' for queue 'orders' in vhost '/' of queue type rabbit_quorum_queue",
])('what says anything else is nothing: %j', (text) => {
  expect(differenceIn(text)).toBeUndefined();
});
