import { runRoom } from './room';

runRoom('webhooks');
