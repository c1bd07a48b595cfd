// The embedded server, built, in a process of its own: tells where it serves and ends on SIGTERM.
import { createApiServer } from '@kubewright/apiserver';

const server = createApiServer();
const { url, caCert } = await server.listen({ port: 0 });
process.send({ url, caCert, token: server.kubeconfig().users[0].user.token });
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit(0));
});
