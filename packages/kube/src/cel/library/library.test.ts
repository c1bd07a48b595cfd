import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { celEnvironment } from '../cel-environment.ts';
import { compileExpression, isFailure } from '../expression.ts';
import { CelMeter } from '../cel-meter.ts';

const environment = celEnvironment();

function evaluate(text: string): unknown {
  const meter = new CelMeter();
  const expression = compileExpression(environment, text, 'bool', meter);
  if (isFailure(expression)) assert.fail(expression.failure);
  meter.start(1_000_000);
  return expression.run({ self: null, oldSelf: null });
}

describe.each([
  [
    'strings',
    [
      "'abcabc'.replace('b', 'x') == 'axcaxc'",
      "'abcabc'.replace('b', 'x', 1) == 'axcabc'",
      "'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == ''",
      "'ÄB'.lowerAscii() == 'Äb' && 'äb'.upperAscii() == 'äB'",
      "'a,b,c'.split(',') == ['a', 'b', 'c'] && ['a', 'b'].join('-') == 'a-b'",
      "' x '.trim() == 'x' && 'abc'.substring(1, 2) == 'b' && 'abc'.indexOf('c') == 2",
      "'%s=%d %.2f %x %b'.format(['a', 5, 1.5, 255, 5]) == 'a=5 1.50 ff 101'",
      "'%s'.format([[1, 2]]) == '[1, 2]'",
      "'a😀c'.indexOf('c') == 2 && 'abca'.lastIndexOf('a') == 3 && 'abc'.indexOf('a', 1) == -1",
      "string(duration('90.5s')) == '90.5s' && string(timestamp('2026-01-02T03:04:05Z')) == '2026-01-02T03:04:05Z'",
      "strings.quote('a\\n') == '\"a\\\\n\"'",
    ],
  ],
  [
    'regular expressions, in RE2 syntax',
    [
      "'abc'.matches('^a.c$') && matches('abc', 'b')",
      "'ABC'.matches('(?i)abc') && 'a1'.matches('^[[:alpha:]][[:digit:]]$')",
      "'a-b'.matches('^a\\\\-b\\\\z')",
      "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('x') == ''",
      "'1a2b3'.findAll('[0-9]') == ['1', '2', '3'] && '1a2b3'.findAll('[0-9]', 2) == ['1', '2']",
    ],
  ],
  [
    'lists and sets',
    [
      '[1, 2, 2].isSorted() && ![2, 1].isSorted()',
      '[1, 2, 3].sum() == 6 && [1.5, 1.0].sum() == 2.5',
      "[3, 1, 2].min() == 1 && ['a', 'c', 'b'].max() == 'c'",
      '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1',
      '[3, 1, 2].sort() == [1, 2, 3] && [1, 2].reverse() == [2, 1] && [1, 1, 2].distinct() == [1, 2]',
      '[[1], [2, [3]]].flatten() == [1, 2, [3]] && lists.range(3) == [0, 1, 2] && [1, 2, 3].slice(1, 2) == [2]',
      '[1, 2].first().value() == 1 && !lists.range(0).last().hasValue()',
      'sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])',
    ],
  ],
  [
    'comprehensions of two variables',
    [
      '[1, 2].all(i, v, v == i + 1) && ![1, 3].all(i, v, v == i + 1)',
      "{'a': 1, 'b': 2}.exists(k, v, k == 'b' && v == 2) && [5, 6].existsOne(i, v, v > 5)",
      '[1, 2, 3].transformList(i, v, i > 0, i * v) == [2, 6] && [1].transformList(i, v, v) == [1]',
      "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && {'a': 1, 'b': 2}.transformMap(k, v, v > 1, k) == {'b': 'b'}",
      "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
      '[[1, 2], [3]].all(i, row, row.all(j, v, v > i + j - 1))',
      '[0, 1].exists(i, v, 1 / v == 1)',
    ],
  ],
  [
    'quantities',
    [
      "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1') == quantity('1000m')",
      "quantity('50k').add(quantity('20k')).compareTo(quantity('70k')) == 0",
      "quantity('50k').sub(20000) == quantity('30k')",
      "quantity('50k').asInteger() == 50000 && !quantity('1.5').isInteger()",
      "sign(quantity('-1')) == -1 && quantity('1.5').asApproximateFloat() == 1.5",
      "isQuantity('1.5Gi') && !isQuantity('1.5X')",
    ],
  ],
  [
    'addresses',
    [
      "ip('1.2.3.4').family() == 4 && ip('::1').isLoopback() && ip('0.0.0.0').isUnspecified()",
      "ip('fe80::1').isLinkLocalUnicast() && ip('224.0.0.1').isLinkLocalMulticast() && ip('8.8.8.8').isGlobalUnicast()",
      "isIP('2001:db8::abcd') && !isIP('01.2.3.4') && !isIP('::ffff:1.2.3.4') && !isIP('1.2.3')",
      "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::abcd') && !ip.isCanonical('0:0::1')",
      "string(ip('2001:0db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1' && ip('::1') == ip('0::1')",
      "cidr('192.168.0.0/24').containsIP('192.168.0.1') && !cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))",
      "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
      "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8",
      "string(cidr('::1/128').ip()) == '::1' && isCIDR('::/0') && !isCIDR('1.2.3.4/33') && !isCIDR('1.2.3.4')",
    ],
  ],
  [
    'URLs',
    [
      "url('https://user@example.com:80/a%20b?k=v&k=w').getScheme() == 'https'",
      "url('https://example.com:8080/a').getHost() == 'example.com:8080'",
      "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:8/').getPort() == '8'",
      "url('https://x/a b').getEscapedPath() == '/a%20b'",
      "url('https://x/?k=v&k=w').getQuery()['k'] == ['v', 'w']",
      "isURL('/path') && url('/path').getHost() == '' && !isURL('path')",
    ],
  ],
  [
    'formats',
    [
      "!format.dns1123Label().validate('web').hasValue()",
      "format.dns1123Label().validate('Web').value()[0].startsWith('a lowercase RFC 1123 label')",
      "!format.dns1123LabelPrefix().validate('web-').hasValue()",
      "format.uuid().validate('x').value() == ['does not match the UUID format']",
      "format.named('date').value().validate('2026-13-01').hasValue() && !format.named('nope').hasValue()",
      "!format.byte().validate('aGk=').hasValue() && !format.datetime().validate('2026-01-01T00:00:00Z').hasValue()",
    ],
  ],
  [
    'versions',
    [
      "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))",
      "semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta')) == -1",
      "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
      "isSemver('1.0.0') && !isSemver('v1.0') && isSemver('v01.0', true) && semver('v1', true) == semver('1.0.0')",
    ],
  ],
])('%s', (_, expressions) => {
  test.each(expressions)('%s', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });
});

test.each([
  ["quantity('x') == quantity('1')", 'quantities must match the regular expression'],
  ["ip('x').family() == 4", 'parse error during conversion from string'],
  ["semver('1') == semver('1')", 'semver parse error during conversion from string'],
  ['[1].filter(x, x > 1).min() == 1', 'min called on empty list'],
  ["'a'.matches('(' + '')", 'error parsing regexp: missing closing ): `(`'],
  ["'abc'.substring(2, 9) == ''", 'index out of range: 9'],
  ['[1, 1].transformMapEntry(i, v, {v: i}) == {1: 1}', 'insert failed: key 1 already exists'],
  ['[0].all(i, v, 1 / v == 1)', 'division by zero'],
  ['[1].slice(0, 2) == [1]', 'cannot slice(0, 2), list is length 1'],
])('%s fails', (expression, message) => {
  expect(() => evaluate(expression)).toThrow(message);
});
