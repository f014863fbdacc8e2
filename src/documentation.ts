import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from './core/version';

/** The OpenAPI document at /docs-json, Swagger UI at /docs. */
export function installDocumentation(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Messaging Gateway')
    .setDescription('The gateway between messaging platforms and an AI assistant.')
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: `service_sk_live_…` or `service_sk_test_…`.',
    })
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'docs-json',
    yamlDocumentUrl: 'docs-yaml',
    customSiteTitle: 'Messaging Gateway API',
  });
}
