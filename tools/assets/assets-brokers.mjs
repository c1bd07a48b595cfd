// npm run assets:brokers: makes sure that the brokers of today are there, beside those of the host: RabbitMQ 4 from Debian
// testing with its Erlang, and the pinned version of NATS. Prints as the last line, alone, their folder.
import {
  brokersDirectory,
  findRabbitMq,
  NATS_VERSION,
  natsDirectory,
  rabbitMqRoot,
} from './find-brokers.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';
import { unpackRabbitMq } from './rabbitmq-root.mjs';

const log = (line) => console.log(line);

await printFolder(async () => {
  await ensureBuilt(`NATS ${NATS_VERSION}`, natsDirectory(), ['nats-server']);
  if (findRabbitMq() === undefined) {
    log(`RabbitMQ 4 of Debian testing: unpacking into ${rabbitMqRoot()}`);
    await unpackRabbitMq(rabbitMqRoot(), log);
  }
  log(`RabbitMQ ${findRabbitMq().version}, NATS ${NATS_VERSION}`);
  return brokersDirectory();
});
