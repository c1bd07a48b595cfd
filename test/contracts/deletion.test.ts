import { deleteCollectionContract } from '../../packages/apiserver/src/rest/delete-collection.contract.ts';
import { deletionContract } from '../../packages/apiserver/src/rest/deletion.contract.ts';
import { dyingContract } from '../../packages/apiserver/src/rest/dying.contract.ts';
import { namespaceDeletionContract } from '../../packages/apiserver/src/rest/namespace-deletion.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('deletion', deletionContract);
describeServers('deletion of collections', deleteCollectionContract);
describeServers('what is being deleted', dyingContract);
describeServers('deletion of namespaces', namespaceDeletionContract);
