import { runRoom } from './room';

runRoom('integrations');
