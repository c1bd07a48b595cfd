// npm run assets:brokers: makes sure that the brokers of today are there, beside those of the host: RabbitMQ 4 from Debian
// testing with its Erlang, and the pinned version of NATS. Prints as the last line, alone, their folder.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import {
  brokersDirectory,
  findNats,
  findRabbitMq,
  NATS_VERSION,
  natsDirectory,
  rabbitMqRoot,
} from './find-brokers.mjs';
import { onPath } from './find.mjs';
import { unpackRabbitMq } from './rabbitmq-root.mjs';

const log = (line) => console.log(line);

async function main() {
  if (findNats() === undefined) {
    const go = onPath('go');
    assert(go, 'Go is not installed: install it (https://go.dev/dl)');
    log(`NATS ${NATS_VERSION}: building into ${natsDirectory()}`);
    await build(go, natsDirectory(), ['nats-server'], log);
  }
  if (findRabbitMq() === undefined) {
    log(`RabbitMQ 4 of Debian testing: unpacking into ${rabbitMqRoot()}`);
    await unpackRabbitMq(rabbitMqRoot(), log);
  }
  log(`RabbitMQ ${findRabbitMq().version}, NATS ${NATS_VERSION}`);
  return brokersDirectory();
}

try {
  console.log(await main());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
