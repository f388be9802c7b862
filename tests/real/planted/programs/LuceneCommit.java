// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.FilterDirectory;

/** Clients of an index on a slow disk, who may commit each document by itself. */
final class LuceneCommit {
    private static final class SlowDirectory extends FilterDirectory {
        private final int ms;

        SlowDirectory(int ms) {
            super(new ByteBuffersDirectory());
            this.ms = ms;
        }

        @Override
        public void sync(Collection<String> names) throws IOException {
            try {
                if (ms > 0) Thread.sleep(ms);
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            super.sync(names);
        }
    }

    private static void add(IndexWriter index, int number) throws IOException {
        Document document = new Document();
        document.add(new TextField("text", "order " + number, Field.Store.NO));
        index.addDocument(document);
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 25);
        int ms = plan.number("sync_ms", 5);
        boolean commit = plan.flag("commit_each", true);
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergePolicy(NoMergePolicy.INSTANCE);
        try (IndexWriter index = new IndexWriter(new SlowDirectory(ms), config)) {
            add(index, 0);
            index.commit();
            plan.begin();
            plan.crowd("client", clients, number -> {
                for (int i = 0; i < each; i++) {
                    add(index, number * each + i);
                    if (commit) index.commit();
                }
            });
            index.commit();
            plan.end((long) clients * each);
        }
    }
}
