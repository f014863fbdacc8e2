import { IdParam } from '../../core/validation/id-param.decorator';

export const KeyId = () => IdParam('key_id', 'api_key', 'The API key.');
