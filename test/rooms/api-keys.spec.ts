import { runRoom } from './room';

runRoom('api-keys');
