// SPDX-License-Identifier: Apache-2.0
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Netty's event loops before a pool of java.util.concurrent, which makes the pages. */
final class NettyServer {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(6);

    private static final class Shop extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            String query = request.uri();
            POOL.execute(() -> {
                byte[] page = Serving.page(query).getBytes(StandardCharsets.UTF_8);
                FullHttpResponse answer = new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                        Unpooled.wrappedBuffer(page));
                answer.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, page.length);
                context.writeAndFlush(answer);
            });
        }
    }

    public static void main(String[] arguments) throws Exception {
        NioEventLoopGroup loops = new NioEventLoopGroup(2);
        Channel channel = new ServerBootstrap().group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel socket) {
                        socket.pipeline().addLast(new HttpServerCodec(),
                                new HttpObjectAggregator(65_536), new Shop());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync().channel();
        Serving.until(((InetSocketAddress) channel.localAddress()).getPort());
        channel.close().sync();
        loops.shutdownGracefully().sync();
        POOL.shutdown();
    }
}
