import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { WorkModule } from '../core/work/work.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { Attachments } from './attachments.service';
import { Content } from './content/content.service';
import { OpenDownloads } from './content/open-downloads.service';
import { DOWNLOADS, Downloads } from './downloads.service';
import { AttachmentEntity } from './entities/attachment.entity';
import { MediaFileEntity } from './entities/media-file.entity';
import { MediaFolderEntity } from './entities/media-folder.entity';
import { MediaUsageEntity } from './entities/media-usage.entity';
import { MessageAttachmentEntity } from './entities/message-attachment.entity';
import { MediaErasure } from './erasure/media-erasure.service';
import { MediaController } from './media.controller';
import { SendAttachments } from './send-attachments.service';
import { MediaFolders } from './storage/media-folders.service';
import { MediaStore } from './storage/media-store.service';
import { Transcripts } from './transcripts.service';
import { Uploads } from './uploads.service';
import { UrlFiles } from './url-files.service';

@Module({
  imports: [
    AccountsModule,
    IntegrationsModule,
    WorkModule.forKind(DOWNLOADS),
    TypeOrmModule.forFeature([
      AttachmentEntity,
      MessageAttachmentEntity,
      MediaFileEntity,
      MediaFolderEntity,
      MediaUsageEntity,
    ]),
  ],
  controllers: [MediaController],
  providers: [
    MediaStore,
    MediaFolders,
    Uploads,
    UrlFiles,
    SendAttachments,
    Attachments,
    Content,
    OpenDownloads,
    Downloads,
    Transcripts,
    MediaErasure,
  ],
  exports: [MediaStore, Transcripts, Attachments, SendAttachments, Downloads],
})
export class MediaModule {}
