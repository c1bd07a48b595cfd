import { expect, test } from 'vitest';
import { isAllowedAddress } from './is-allowed-address.ts';

test.each([
  ['nothing is listed', 'amqp://anywhere', [], false],
  ['any', 'amqp://anywhere:1', ['*'], true],
  ['any, with this port', 'amqp://anywhere:1', ['*:5672'], false],
  ['the host', 'amqp://rabbitmq.shop', ['rabbitmq.shop'], true],
  [
    'the host, with any port and credentials',
    'amqp://guest:guest@rabbitmq.shop:9999/v',
    ['rabbitmq.shop'],
    true,
  ],
  ['letters of any case', 'amqp://RabbitMQ.shop', ['rabbitmq.SHOP'], true],
  ['another host', 'amqp://rabbitmq.shop.evil.example', ['rabbitmq.shop'], false],
  ['a host in the credentials', 'amqp://rabbitmq.shop@evil.example', ['rabbitmq.shop'], false],
  ['the port', 'amqp://rabbitmq.shop:5673', ['rabbitmq.shop:5673'], true],
  ['another port', 'amqp://rabbitmq.shop:22', ['rabbitmq.shop:5672'], false],
  ['the default port', 'amqp://rabbitmq.shop', ['rabbitmq.shop:5672'], true],
  ['the default port of TLS', 'amqps://rabbitmq.shop', ['rabbitmq.shop:5672'], false],
  ['the default port of NATS', 'nats://nats.shop', ['nats.shop:4222'], true],
  ['the default port of NATS over TLS', 'tls://nats.shop', ['nats.shop:4222'], true],
  ['another port of NATS', 'nats://nats.shop:8222', ['nats.shop:4222'], false],
  ['a host below the domain', 'amqp://a.b.brokers.example', ['*.brokers.example'], true],
  ['not the domain itself', 'amqp://brokers.example', ['*.brokers.example'], false],
  ['the broker of the own namespace', 'amqp://rabbitmq.shop.svc', ['rabbitmq.$(NAMESPACE).svc'], true],
  ['that of another one', 'amqp://rabbitmq.bank.svc', ['rabbitmq.$(NAMESPACE).svc'], false],
  ['one of several', 'amqp://b', ['a', 'b'], true],
  ['the scheme', 'amqps://rabbitmq.shop', ['amqps://rabbitmq.shop'], true],
  ['another scheme', 'amqp://rabbitmq.shop', ['amqps://rabbitmq.shop'], false],
  ['the scheme, with the port', 'amqp://rabbitmq.shop', ['amqp://rabbitmq.shop:5672'], true],
  ['a scheme of no broker', 'http://rabbitmq.shop:5672', ['*'], false],
  ['an address of IPv6', 'amqp://[::1]:5672', ['[::1]:5672'], true],
  ['another address of IPv6', 'amqp://[::2]:5672', ['[::1]'], false],
  [
    'a host that a client may decode',
    'amqp://evil.example%2f.brokers.example',
    ['*.brokers.example', '*'],
    false,
  ],
  ['a registry', 'https://registry.example/checkpoints', ['registry.example'], true],
  ['a registry by its port', 'https://registry.example:5000', ['registry.example:443'], false],
  ['no host', 'amqp://', ['*'], false],
  ['a pattern that is none', 'amqp://rabbitmq.shop', ['rabbit*.shop', '', 'rabbitmq.shop/v'], false],
  ['no URL', 'rabbitmq.shop', ['rabbitmq.shop'], false],
] as const)('%s', (_what, url, patterns, isAllowed) => {
  expect(isAllowedAddress(url, patterns, 'shop')).toBe(isAllowed);
});
