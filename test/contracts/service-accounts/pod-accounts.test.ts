import { describeWithAccounts } from '../../servers/describe-servers.ts';
import { podAccountsContract } from './pod-accounts.contract.ts';

describeWithAccounts('accounts of pods', podAccountsContract);
