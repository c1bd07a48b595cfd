// An entry of its own: an application with another broker needs no AMQP client.
export { type AmqpConnection, type AmqpOptions, connectAmqp } from './amqp-connection.ts';
